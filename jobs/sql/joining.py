"""Joins of FROM as join and table_join steps: keys, time bounds and the rest of ON."""

from dataclasses import replace
from functools import partial
from typing import Any, Final

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath
from jobs.base.schemas import Schema
from jobs.base.types import Struct, is_key_type
from jobs.operators.join_fields import right_names
from jobs.sql.draft import Expression, SqlDraft
from jobs.sql.join_conditions import AS_OF, Conditions, Pair, conditions, is_as_of, remaining
from jobs.sql.scope import Scope, Side
from jobs.sql.statements import Join, Written
from jobs.sql.tokens import Slice, SqlError

_ONE_SIDED: Final = ("semi", "anti")
_BOUNDS: Final = "Use c._time BETWEEN s._time - INTERVAL '5' SECOND AND s._time + INTERVAL '1' MINUTE."
_TABLE_TIME: Final = "The time of a table's rows is not compared in ON."
_JOIN_OPTIONS: Final = ("prefix", "time")
_TABLE_OPTIONS: Final = ("prefix", "retention", "broadcast")


def join(draft: SqlDraft, scope: Scope, written: Join, right: str, wanted: str) -> tuple[Scope, str | None]:
    """Add a join.

    Args:
        draft: gets the step.
        scope: the relations before it.
        written: the join.
        right: node of its relation.
        wanted: name of the step.

    Returns:
        The relations after it; and a condition that is left for a filter, None for none.

    Raises:
        SqlError: ON or the options have another form, or a name is not clear.
    """
    relation, left = draft.relations.relation(right), draft.relations.relation(scope.reference)
    alias = written.relation.alias
    if alias and scope.side(alias) is not None:
        hint = "Give one of them another alias. To join a stream with itself, CREATE SOURCE a second one."
        raise SqlError(f"Both relations are called {alias}.", hint, written.relation.span)
    if written.using and written.type in ("right", "full"):
        name = written.using[0]
        message = f"USING goes with JOIN and LEFT JOIN: of a row without match, {name.text} would be null."
        raise SqlError(message, "Use ON, and coalesce(…) of both fields.", name.span)
    fields = relation.schema.names
    is_whole = not relation.has_unknown_fields and not relation.untyped
    right_side = Side(alias, fields, is_whole=is_whole)
    pair = Pair(
        scope,
        right_side,
        draft.event_times(scope.reference, always=True),
        draft.event_times(right, always=True),
        _members(left.schema) | _members(relation.schema),
        partial(_are_no_keys, left.schema, relation.schema),
    )
    found = conditions(written, pair)
    if found.difference is not None:
        raise _difference(found.difference, is_table=draft.is_table(right))
    reads_right = written.type not in _ONE_SIDED or bool(found.rest)
    shared = scope.known & set(fields)
    prefix = _prefix(written, alias, clash=reads_right and bool(shared))
    names, _ = right_names(left.schema, relation.schema, prefix, ())
    side = replace(right_side, names={name: joined for name, joined in names.items() if name != joined})
    both = Scope(
        scope.reference,
        _with_system(written, scope, side, is_table=draft.is_table(right)),
        (*scope.fields, *names.values()),
        scope.ambiguous | _ambiguous(written, shared),
        (*scope.merged, *(side.joined_name(name.text) for name in written.using)),
    )
    rest = remaining(replace(both, sides=both.without_system()), found)
    parts: dict[DocumentPath, Expression] = {}
    if draft.is_table(right):
        step, left_over = _table_join(written, pair, scope.reference, right, found, rest)
    else:
        step, left_over = _join(written, scope.reference, right, found, rest), None
        if rest is not None:
            parts["where",] = rest
    if prefix:
        step["prefix"] = prefix
    kept = scope if written.type in _ONE_SIDED else both
    return replace(kept, reference=draft.add(wanted, step, parts, written.span)), left_over


def _are_no_keys(left: Schema, right: Schema, name: str, other: str) -> bool:
    """True for fields of which one has a type that keys can't have."""
    fields = left.get(name), right.get(other)
    return any(field is not None and not is_key_type(field.type) for field in fields)


def _difference(written: Slice, *, is_table: bool) -> SqlError:
    if is_table:
        return SqlError(_TABLE_TIME, AS_OF, written.span)
    return SqlError("ON doesn't compare the difference of both times.", _BOUNDS, written.span)


def _members(schema: Schema) -> frozenset[tuple[str | None, str]]:
    return frozenset(
        (field.name, member.name)
        for field in schema.fields
        if isinstance(field.type, Struct)
        for member in field.type.members
    )


def _with_system(written: Join, scope: Scope, side: Side, *, is_table: bool) -> tuple[Side, ...]:
    """The relations after the join; of system fields, joined rows have one side's or a time of their own."""
    right = replace(side, has_system=False)
    if is_table:
        return (*scope.sides, right)
    time = _text(written.options["time"]) if "time" in written.options else "later"
    if written.type in ("inner", "left") and time == "left":
        return (*scope.sides, right)
    return (*scope.without_system(), replace(side, has_system=written.type == "inner" and time == "right"))


def _ambiguous(written: Join, shared: frozenset[str]) -> frozenset[str]:
    """Fields of both sides that need an alias. With a prefix of its own, the query says how they are called;
    the fields of USING are equal where both rows are there.
    """
    if "prefix" in written.options:
        return frozenset()
    return shared - {name.text for name in written.using}


def _join(written: Join, left: str, right: str, found: Conditions, rest: Expression | None) -> dict[str, Any]:
    _require_options(written, _JOIN_OPTIONS)
    if written.as_of is not None:
        raise SqlError("FOR SYSTEM_TIME AS OF needs a table on the right side.", "", written.as_of.span)
    step: dict[str, Any] = {"op": "join", "left": left, "right": right}
    if written.type != "inner":
        step["type"] = written.type
    step["on"] = found.keys
    if found.least is not None and found.most is not None:
        step["between"] = {"before": str(Duration(-found.least)), "after": str(Duration(found.most))}
    elif found.least is not None or found.most is not None:
        message = "The time between both rows is limited on one side only."
        raise SqlError(message, _BOUNDS, _condition_span(written))
    if rest is not None:
        step["where"] = rest.text
    if "time" in written.options:
        step["time"] = _text(written.options["time"])
    return step


def _table_join(
    written: Join, pair: Pair, left: str, right: str, found: Conditions, rest: Expression | None
) -> tuple[dict[str, Any], str | None]:
    _require_options(written, _TABLE_OPTIONS)
    if written.type not in ("inner", "left"):
        raise SqlError("A table can be joined with JOIN and LEFT JOIN only.", "", written.span)
    if found.least is not None or found.most is not None:
        raise SqlError(_TABLE_TIME, AS_OF, _condition_span(written))
    if rest is not None and written.type == "left":
        message = "LEFT JOIN with a table takes keys only."
        raise SqlError(message, "Filter the table first: CREATE VIEW … WHERE.", rest.span)
    step: dict[str, Any] = {"op": "table_join", "input": left, "table": right}
    if written.type != "inner":
        step["type"] = written.type
    step["on"] = found.keys
    if written.as_of is not None and is_as_of(written.as_of, pair):
        step["version"] = "as_of"
    if "retention" in written.options:
        step["retention"] = _text(written.options["retention"])
    if "broadcast" in written.options:
        step["broadcast"] = _broadcast(written.options["broadcast"])
    return step, rest.text if rest is not None else None


def _broadcast(given: Written) -> dict[str, Any] | None:
    """``broadcast = TRUE`` or ``broadcast = (max_rows = 5000, refresh = INTERVAL '10' MINUTE)``."""
    if isinstance(given.value, bool):
        return {} if given.value else None
    if not isinstance(given.value, dict):
        raise SqlError("broadcast is TRUE or (max_rows = 5000, refresh = '10m').", "", given.span)
    return {
        name: _text(one) if isinstance(one.value, str | Duration) else one.value
        for name, one in given.value.items()
    }


def _text(given: Written) -> str:
    if not isinstance(given.value, str | Duration):
        raise SqlError("Expected a text in quotes or an interval.", "", given.span)
    return str(given.value)


def _require_options(written: Join, known: tuple[str, ...]) -> None:
    for name, given in written.options.items():
        if name not in known:
            raise SqlError(f"Unknown option {name!r}.", f"Options here: {', '.join(known)}.", given.span)


def _prefix(written: Join, alias: str, *, clash: bool) -> str:
    """As given; else the alias and ``_``, if both sides have fields of one name that something may read."""
    if "prefix" in written.options:
        return _text(written.options["prefix"])
    return f"{alias}_" if clash and alias else ""


def _condition_span(written: Join) -> tuple[int, int]:
    return written.condition.span if written.condition is not None else written.span
