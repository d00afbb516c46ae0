"""Rules over result rows, compiled for one result: which rows meet the condition, and which alert they are
about.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Schema, schema_from_json
from jobs.expressions.check import check_condition
from jobs.expressions.interpreter import condition
from weir.alerts.services.rule_document import RowWatch

Holds = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class RowRule:
    """A compiled rule.

    Attributes:
        meets: whether a row meets the condition.
        over: whether a row ends the alert; None: no row does, because each row is an event of its own.
        by: fields that tell alerts apart.
        order: field whose greatest value counts, of windowed results; None: the last row counts.
        fields: what both conditions read.
    """

    meets: Holds
    over: Holds | None
    by: tuple[str, ...]
    order: str | None
    fields: frozenset[str]


Compiled = tuple[RowRule | None, list[Problem]]


def compile_row_rule(watch: RowWatch, result: Mapping[str, Any]) -> Compiled:
    """The rule for a result.

    Args:
        watch: of the rule.
        result: as `weir.runs.services.planning.result_of` describes it.

    Returns:
        The rule, or None with its located problems.
    """
    schema = schema_from_json(result.get("schema", ()))
    meets, problems = condition(watch.where, schema, ("watch", "where"))
    recovered: Holds | None = None
    if watch.recovers_where is not None:
        recovered, more = condition(watch.recovers_where, schema, ("watch", "recovers_where"))
        problems = [*problems, *more]
    by = _groups(watch, result)
    unknown = [name for name in by if name not in schema]
    problems = [*problems, *(_unknown_field(watch, name, schema) for name in unknown)]
    if meets is None or has_errors(problems):
        return None, problems
    return RowRule(
        meets, _over(watch, meets, recovered, result), by, _order(result, schema), _fields(watch, schema)
    ), []


def _over(watch: RowWatch, meets: Holds, recovered: Holds | None, result: Mapping[str, Any]) -> Holds | None:
    if recovered is not None:
        return recovered
    is_event = result.get("identity_kind") == "row"
    return None if is_event and watch.by is None else lambda values: not meets(values)


def _groups(watch: RowWatch, result: Mapping[str, Any]) -> tuple[str, ...]:
    if watch.by is not None:
        return tuple(watch.by)
    return tuple(result.get("identity", ()))[len(_window(result)) :]


def _window(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of a row's window: the identity of a windowed result begins with them, whatever a step has
    renamed them to.
    """
    return tuple(result.get("identity", ()))[:2] if result.get("windowed") else ()


def _order(result: Mapping[str, Any], schema: Schema) -> str | None:
    return next((name for name in _window(result)[1:] if name in schema), None)


def _fields(watch: RowWatch, schema: Schema) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for text in filter(None, (watch.where, watch.recovers_where)):
        checked, _ = check_condition(text, schema, ())
        found |= checked.fields if checked is not None else frozenset()
    return found


def _unknown_field(watch: RowWatch, name: str, schema: Schema) -> Problem:
    fields = f"Fields: {', '.join(schema.names[:20])}."
    if watch.by is None:
        message = f"The result has no field {name!r}, which tells its rows apart."
        return problem("FIELD_UNKNOWN", ("watch", "by"), message, f"Group alerts by other fields. {fields}")
    path = ("watch", "by", str(watch.by.index(name)))
    return problem("FIELD_UNKNOWN", path, f"The result has no field {name!r}.", fields)
