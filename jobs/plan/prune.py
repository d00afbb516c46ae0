"""Pass: which fields of each source must be parsed (`design.md` 6: one parse with only the fields that are used)."""

from collections.abc import Iterable

from jobs.expressions import Expression
from jobs.operators.aggregate import AggregateBound
from jobs.operators.filter import FilterBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.plan.draft import Draft


def prune(draft: Draft) -> None:
    """Fills used_fields: what steps and the result read, the event-time field, and required fields (their absence is malformed)."""
    if not draft.sound:
        for name, contract in draft.contracts.items():
            draft.used_fields[name] = contract.schema_of_rows.names
        return
    needed = needed_fields(draft)
    for name, contract in draft.contracts.items():
        wanted = needed.get(name, frozenset()) | {contract.event_time.field}
        draft.used_fields[name] = tuple(f.name for f in contract.fields if f.name in wanted or not f.nullable)


def needed_fields(draft: Draft) -> dict[str, frozenset[str]]:
    """By live node: the fields of its output that something reads. Nodes that feed an output need all."""
    needed: dict[str, frozenset[str]] = {}
    for output in draft.document.outputs.values():
        needed[output.input] = frozenset(draft.relations[output.input].schema.names)
    for name in reversed(draft.live_steps()):
        read = _read_by(draft.bounds[name], needed[name])
        for upstream in draft.inputs[name]:
            identity = draft.relations[upstream].identity
            needed[upstream] = needed.get(upstream, frozenset()) | read | frozenset(identity)
    return {name: fields & frozenset(draft.relations[name].schema.names) for name, fields in needed.items()}


def _read_by(bound: object, needed: frozenset[str]) -> frozenset[str]:
    match bound:
        case FilterBound(where):
            return needed | where.fields
        case ProjectionBound(columns):
            # A column that nobody reads still counts its errors as expression_nulls.
            return _fields(e for name, e in columns if name in needed or e.failures)
        case SplitBound(field, as_):
            return (needed - {as_}) | {field}
        case AggregateBound():
            measures = (e for m in bound.measures for e in (*m.arguments, m.where) if e is not None)
            return _fields(e for _, e in bound.by) | _fields(measures)
        case _:
            raise TypeError(f"no pruning rule for {type(bound).__name__}")


def _fields(expressions: Iterable[Expression]) -> frozenset[str]:
    return frozenset(field for expression in expressions for field in expression.fields)
