"""Select lists as select, derive, drop and rename steps."""

from collections.abc import Sequence
from typing import Any, Final

from jobs.base.problems import DocumentPath
from jobs.expressions.spark_types import quoted
from jobs.sql.draft import Expression, SqlDraft
from jobs.sql.scope import Scope
from jobs.sql.statements import Item, Select, Span, Star
from jobs.sql.tokens import LITERALS, Name, SqlError, is_word, name_in_expression, name_of

Column = tuple[str, Expression]
"""A column's name and its expression."""

_NAMED: Final = "Give the expression a name: … AS total."


def project(draft: SqlDraft, scope: Scope, select: Select, wanted: str) -> str:
    """Add the steps of a select list without measures.

    Args:
        draft: gets the steps.
        scope: the rows that the list reads.
        select: the query; of its items ``*`` comes first.
        wanted: name of the steps.

    Returns:
        The node with the rows.

    Raises:
        SqlError: an expression has no name, or ``*`` stands where it can't.
    """
    entries = [one for item in select.items for one in _entries(item, scope)]
    columns = [entry for entry in entries if not isinstance(entry, Star)]
    if len(columns) == len(entries):
        return add_select(draft, scope.reference, columns, wanted, select.span)
    star = entries[0]
    if not isinstance(star, Star) or len(columns) < len(entries) - 1:
        raise SqlError(
            "* comes first, and once.", "Example: SELECT *, price * quantity AS value", select.span
        )
    changed = _changed(star) | {*scope.merged}
    for name, expression in columns:
        if is_name_of(name, expression) and name not in changed:
            raise SqlError(
                f"* already selects {name}.", "Remove it, or give it another name with AS.", expression.span
            )
    replaced = _replaced(star, scope)
    if changed.isdisjoint(_names_read(select, scope)):
        reference = add_derive(draft, scope.reference, replaced, wanted, star.span)
        reference = _without(draft, reference, star, scope.merged, wanted)
        return add_derive(draft, reference, columns, wanted, select.span)
    # The expressions read the rows of FROM, not what * makes of them.
    _require_apart(columns, changed)
    reference = add_derive(draft, scope.reference, [*replaced, *columns], wanted, select.span)
    return _without(draft, reference, star, scope.merged, wanted)


def _changed(star: Star) -> frozenset[str]:
    """The names that mean something else after ``*`` than in the rows that it reads."""
    names = [*star.excepted, *(name for pair in star.renamed for name in pair)]
    return frozenset(name.text for name in names) | {item.alias.text for item in star.replaced if item.alias}


def _names_read(select: Select, scope: Scope) -> frozenset[str]:
    """The names that the expressions beside ``*`` read; all of their names where the fields are unknown."""
    written = [item.expression for item in select.items if isinstance(item, Item)]
    if scope.fields:
        return frozenset(found.name for one in written for found in scope.references(one))
    return frozenset(name for one in written for token in one.tokens if (name := name_of(token)) is not None)


def _require_apart(columns: Sequence[Column], changed: frozenset[str]) -> None:
    for name, expression in columns:
        if name in changed:
            message = f"* leaves out or changes {name}, and {name} is selected beside it."
            hint = f"Use * REPLACE (… AS {name}), or change the fields in a view first."
            raise SqlError(message, hint, expression.span)


def column(item: Item, scope: Scope) -> Column:
    """A column's name and its expression."""
    expression = scope.expression(item.expression)
    if item.alias is not None:
        return item.alias.text, expression
    last = item.expression.tokens[-1]
    name = scope.column_name(item.expression)
    if name is None:
        raise SqlError("This expression has no name.", _NAMED, (last.start, last.end + 1))
    return name, expression


def add_select(draft: SqlDraft, reference: str, columns: Sequence[Column], wanted: str, span: Span) -> str:
    """Add a select step: a list of names, if every column is a field under its own name."""
    _require_unique(columns)
    fields: Any = {name: expression.text for name, expression in columns}
    whole = columns[0][1].span[0], columns[-1][1].span[1]
    parts: dict[DocumentPath, Expression] = {("fields",): Expression("", whole, verbatim=False)}
    if all(is_name_of(name, expression) for name, expression in columns):
        fields = [name for name, _ in columns]
        parts |= {("fields", str(at)): expression for at, (_, expression) in enumerate(columns)}
    else:
        parts |= {("fields", name): expression for name, expression in columns}
    return draft.add(wanted, {"op": "select", "input": reference, "fields": fields}, parts, span)


def is_name_of(name: str, expression: Expression) -> bool:
    """True if the expression is the field of this name."""
    return expression.text == quoted(name) or (expression.text == name and name.lower() not in LITERALS)


def add_derive(draft: SqlDraft, reference: str, columns: Sequence[Column], wanted: str, span: Span) -> str:
    """Add a derive step, if there are columns."""
    if not columns:
        return reference
    _require_unique(columns)
    fields = {name: expression.text for name, expression in columns}
    parts: dict[DocumentPath, Expression] = {("fields", name): expression for name, expression in columns}
    return draft.add(wanted, {"op": "derive", "input": reference, "fields": fields}, parts, span)


def _require_unique(columns: Sequence[Column]) -> None:
    names = set[str]()
    for name, expression in columns:
        if name in names:
            raise SqlError(
                f"{name} is selected twice.", "Give one of them another name with AS.", expression.span
            )
        names.add(name)


def _entries(item: Star | Item, scope: Scope) -> list[Star | Column]:
    """The columns of an item; ``t.*`` gives the fields of that relation."""
    if isinstance(item, Star):
        return [item]
    tokens = item.expression.tokens
    if len(tokens) != 3 or not is_word(tokens[1], ".") or not is_word(tokens[2], "*"):
        return [column(item, scope)]
    span = item.expression.span
    side = scope.side(item.expression.part(0, 1).plain_name or "")
    if side is None:
        raise SqlError(f"Unknown relation {tokens[0].text!r}.", "", span)
    if len(scope.sides) == 1:
        return [Star(span)]
    if not side.fields:
        raise SqlError(f"The fields of {side.alias} are unknown here.", "List them.", span)
    names = [side.joined_name(name) for name in side.fields]
    return [(name, Expression(name_in_expression(name), span, verbatim=False)) for name in names]


def _replaced(star: Star, scope: Scope) -> list[Column]:
    """The columns of REPLACE, which are fields of the rows."""
    columns = [column(item, scope) for item in star.replaced]
    is_whole = bool(scope.fields) and all(side.is_whole for side in scope.sides)
    for name, expression in columns:
        if is_whole and name not in scope.known:
            hint = f"To add a field, write it beside *: SELECT *, … AS {name}"
            raise SqlError(f"There is no field {name} to replace.", hint, expression.span)
    return columns


def _without(draft: SqlDraft, reference: str, star: Star, merged: Sequence[str], wanted: str) -> str:
    """Add the steps of EXCEPT and RENAME, where there are any; `merged` are fields that ``*`` leaves out."""
    if star.excepted or merged:
        fields = [*(name.text for name in star.excepted), *merged]
        step: dict[str, Any] = {"op": "drop", "input": reference, "fields": fields}
        reference = draft.add(wanted, step, _places(star.excepted), star.span)
    if star.renamed:
        renamed = {old.text: new.text for old, new in star.renamed}
        step = {"op": "rename", "input": reference, "fields": renamed}
        reference = draft.add(wanted, step, {}, star.span)
    return reference


def _places(names: Sequence[Name]) -> dict[DocumentPath, Expression]:
    return {
        ("fields", str(at)): Expression(name.text, name.span, verbatim=True) for at, name in enumerate(names)
    }
