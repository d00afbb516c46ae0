"""Statements and queries as parts of a document."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from jobs.base.names import is_name
from jobs.base.problems import DocumentPath
from jobs.document_parts import Settings
from jobs.sql.draft import Expression, SqlDraft, within
from jobs.sql.functions import WINDOWS
from jobs.sql.grouping import Window, group, is_grouped
from jobs.sql.joining import join
from jobs.sql.projecting import project
from jobs.sql.scope import Scope, Side
from jobs.sql.statements import (
    SINK_OPTIONS,
    Call,
    CreateOutput,
    CreateSource,
    CreateView,
    FromItem,
    Item,
    Named,
    Nested,
    Query,
    Select,
    SetOption,
    Star,
    Statement,
    Written,
)
from jobs.sql.table_calls import add_call, window_of
from jobs.sql.tokens import Name, SqlError
from jobs.sql.values import MAX_DIGITS

_HEAD: Final = ("name", "description")

_WINDOW_LAST: Final = (
    "Put it around the others: TUMBLE(TABLE SAMPLE(TABLE trades, 0.1), INTERVAL '1' MINUTE). "
    "Two windows take a query each."
)
_SAME_NAMES: Final = "Give them those names with AS. UNION ALL BY NAME fills what is missing with null."
_JOIN_FIRST: Final = "Join first, in a view, and take the window of the view's rows."


class Builder:
    """Adds statements, one by one, to a document."""

    def __init__(self, draft: SqlDraft) -> None:
        self.draft = draft

    def add(self, statement: Statement) -> None:
        """Add a statement.

        Raises:
            SqlError: it can't be said in a document.
        """
        match statement:
            case SetOption():
                self._set(statement)
            case CreateSource():
                self._source(statement)
            case CreateView(name, query):
                self._view(name, query)
            case CreateOutput():
                self._output(statement)

    def _set(self, statement: SetOption) -> None:
        if statement.option in _HEAD:
            self.draft.head[statement.option] = statement.value
            path: DocumentPath = (statement.option,)
        elif statement.option in Settings.model_fields:
            is_flag = statement.value.lower() in ("true", "false")
            value: Any = statement.value.lower() == "true" if is_flag else statement.value
            if statement.value.isdecimal() and len(statement.value) <= MAX_DIGITS:
                value = int(statement.value)
            self.draft.settings[statement.option] = value
            path = ("settings", statement.option)
        else:
            known = [*_HEAD, *Settings.model_fields]
            raise SqlError(
                f"Unknown setting {statement.option!r}.", f"Settings: {', '.join(known)}.", statement.span
            )
        self.draft.places[path] = Expression(statement.value, statement.span, verbatim=False)

    def _source(self, statement: CreateSource) -> None:
        name = statement.name
        if name.text in self.draft.sources or name.text in self.draft.views:
            raise SqlError(f"{name.text} exists already.", "Choose another name.", name.span)
        source: dict[str, Any] = {statement.kind: statement.registered.text}
        for option, given in statement.options.items():
            if option != "delay":
                raise SqlError(f"Unknown option {option!r}.", "Options here: delay.", given.span)
            source["delay"] = str(given.value)
        self.draft.sources[name.text] = source
        self.draft.places["sources", name.text] = Expression(name.text, name.span, verbatim=False)

    def _view(self, name: Name, query: Query) -> None:
        """Add a query whose last step gets the name of the view."""
        before = set(self.draft.steps)
        reference = self._query(query, name.text)
        if any(name.text in known for known in (self.draft.steps, self.draft.sources, self.draft.same_as)):
            raise SqlError(f"{name.text} exists already.", "Choose another name.", name.span)
        is_new = reference in self.draft.steps and reference not in before
        if is_new and not self.draft.is_read(reference):
            self.draft.rename(reference, name.text)
        else:
            self.draft.same_as[name.text] = reference

    def _output(self, statement: CreateOutput) -> None:
        name = statement.name
        if name.text in self.draft.outputs:
            raise SqlError(f"{name.text} exists already.", "Choose another name.", statement.span)
        reference = self._query(statement.query, name.text if statement.is_named else "")
        to: Any = _topic(statement.options) if statement.is_sink else "result"
        self.draft.outputs[name.text] = {"input": reference, "to": to}
        self.draft.places["outputs", name.text] = Expression(name.text, name.span, verbatim=False)

    def _query(self, query: Query, wanted: str) -> str:
        """Add the steps of a query. Returns the node with its rows."""
        if not query.views:
            return self._selects(query, wanted)
        self.draft.scopes.append({})
        try:
            for name, view in query.views:
                self._inner_view(name, view)
            return self._selects(query, wanted)
        finally:
            self.draft.scopes.pop()

    def _inner_view(self, name: Name, query: Query) -> None:
        """Add a query of WITH, whose name only the query around knows."""
        if name.text in self.draft.scopes[-1]:
            raise SqlError(f"{name.text} exists already.", "Choose another name.", name.span)
        before = set(self.draft.steps)
        reference = self._query(query, name.text)
        is_new = reference in self.draft.steps and reference not in before
        if is_new and not self.draft.is_read(reference) and self._is_step_name(name.text):
            self.draft.rename(reference, name.text)
            self.draft.inner.add(name.text)
            reference = name.text
        self.draft.scopes[-1][name.text] = reference

    def _is_step_name(self, name: str) -> bool:
        return is_name(name) and self.draft.is_free(name)

    def _selects(self, query: Query, wanted: str) -> str:
        if len(query.selects) == 1:
            return self._select(query.selects[0], wanted)
        parts = [self._select(select, within(wanted, "part")) for select in query.selects]
        step: dict[str, Any] = {"op": "union", "inputs": parts}
        if not query.by_name:
            self._require_order(query, parts)
            step["mode"] = "strict"
        return self.draft.add(within(wanted, "union"), step, {}, query.selects[0].span)

    def _require_order(self, query: Query, parts: Sequence[str]) -> None:
        """UNION ALL goes by position, the step by name: both are one where the order is."""
        first = self.draft.relations.relation(parts[0]).schema.names
        for part, select in zip(parts[1:], query.selects[1:], strict=True):
            names = self.draft.relations.relation(part).schema.names
            if names == first:
                continue
            listed = ", ".join(first)
            if set(names) == set(first):
                message = f"The columns are in another order than those of the first query: {listed}."
                raise SqlError(message, "Reorder them, or use UNION ALL BY NAME.", select.span)
            if self._is_whole(parts[0]) and self._is_whole(part):
                message = f"The columns are called otherwise than those of the first query: {listed}."
                raise SqlError(message, _SAME_NAMES, select.span)

    def _is_whole(self, reference: str) -> bool:
        """True if all fields of a node are known."""
        relation = self.draft.relations.relation(reference)
        return not relation.has_unknown_fields and not relation.untyped

    def _select(self, select: Select, wanted: str) -> str:
        scope, window = self._from(select.source, wanted)
        for written in select.joins:
            if window is not None:
                raise SqlError("Windows don't go with JOIN.", _JOIN_FIRST, written.span)
            right, other = self._node(written.relation, within(wanted, "right"))
            if other is not None:
                raise SqlError("Windows don't go with JOIN.", _JOIN_FIRST, written.span)
            scope, condition = join(self.draft, scope, written, right, within(wanted, "joined"))
            if condition is not None:
                step = {"op": "filter", "input": scope.reference, "where": condition}
                reference = self.draft.add(within(wanted, "matched"), step, {}, written.span)
                scope = replace(scope, reference=reference)
        if select.where is not None:
            where = scope.expression(select.where)
            step = {"op": "filter", "input": scope.reference, "where": where.text}
            reference = self.draft.add(within(wanted, "filtered"), step, {("where",): where}, where.span)
            scope = replace(scope, reference=reference)
        if is_grouped(select, window):
            return group(self.draft, scope, select, window, wanted)
        if select.having is not None:
            raise SqlError("HAVING needs GROUP BY or measures.", "Use WHERE.", select.having.span)
        if select.emit is not None:
            raise SqlError("EMIT needs GROUP BY or measures.", "Remove it.", select.span)
        if len(select.items) == 1 and _is_all(select.items[0]) and not scope.merged:
            return scope.reference
        return project(self.draft, scope, select, within(wanted, "columns"))

    def _from(self, item: FromItem, wanted: str) -> tuple[Scope, Window | None]:
        reference, window = self._node(item, wanted)
        fields = self.draft.relations.relation(reference).schema.names
        side = Side(item.alias, fields, is_whole=self._is_whole(reference))
        return Scope(reference, (side,), fields), window

    def _node(self, item: FromItem, wanted: str) -> tuple[str, Window | None]:
        """The node that a relation of FROM is, and its window."""
        match item:
            case Named():
                return self.draft.reference(item), None
            case Nested():
                return self._query(item.query, within(wanted, item.alias) if item.alias else wanted), None
            case Call():
                return self._call(item, wanted)

    def _call(self, call: Call, wanted: str) -> tuple[str, Window | None]:
        inputs: list[str] = []
        for one in call.inputs:
            reference, window = self._node(one, within(wanted, "input"))
            if window is not None:
                raise SqlError("A window is the outermost table function.", _WINDOW_LAST, one.span)
            inputs.append(reference)
        if call.function in WINDOWS:
            return inputs[0], window_of(self.draft, call)
        return add_call(self.draft, call, inputs, within(wanted, call.function.lower())), None


def _is_all(item: Star | Item) -> bool:
    return isinstance(item, Star) and not (item.excepted or item.replaced or item.renamed)


def _topic(options: Mapping[str, Written]) -> dict[str, Any]:
    for name, given in options.items():
        if name not in SINK_OPTIONS:
            raise SqlError(
                f"Unknown option {name!r}.", f"Options here: {', '.join(SINK_OPTIONS)}.", given.span
            )
    return {name: _plain(given) for name, given in options.items()}


def _plain(given: Written) -> Any:
    match given.value:
        case dict():
            return {name: _plain(one) for name, one in given.value.items()}
        case list():
            return [_plain(one) for one in given.value]
        case value:
            return value
