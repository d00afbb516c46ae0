"""What a job will keep: for every step whether its state is bounded, and how large it becomes for given rates and numbers of keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.durations import ZERO, Duration
from jobs.base.types import BYTES, STRING, Array, DataType, Map, Struct
from jobs.operators.aggregate import AggregateBound
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.measures import MEASURES
from jobs.operators.relation import Relation
from jobs.operators.requirements import StateBound
from jobs.operators.windows import WindowSpec
from jobs.plan.mode import ASSUMED_PIECES
from jobs.plan.model import SOURCE, Node, Plan, SourceBound

ENTRY_BYTES: Final = 90
"""Of a state entry beside its values: key, row header and what RocksDB keeps for it."""

_TEXT: Final = 24
_CONTAINER: Final = 100
_DAY: Final = Duration(86_400_000_000)


@dataclass(frozen=True, slots=True)
class StateForecast:
    """What a step keeps.

    Attributes:
        step: its name.
        bound: whether it is bounded, and why.
        rows: entries at rest; of unbounded state with unknown keys, what comes to it each day. None: rate or keys unknown.
        size: bytes of them.
    """

    step: str
    bound: StateBound
    rows: int | None
    size: int | None

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {"step": self.step, "bound": self.bound.kind, "why": self.bound.why, "rows": self.rows, "bytes": self.size}


def forecast(plan: Plan, rates: Mapping[str, float], keys: Mapping[str, int]) -> list[StateForecast]:
    """The state of every live step that keeps some.

    Args:
        plan: without errors.
        rates: records per second of each source; a missing source makes the steps downstream of it unknown.
        keys: different keys of a step, where known; without, every row may have its own.

    Returns:
        In the order of the plan; what stands in several queries is summed. Filters are taken to let everything pass, so
        figures are upper bounds of what the given rates and keys make; bytes are an estimate from the types of the fields.
    """
    flows: dict[str, float | None] = {}
    found = []
    delay = max((n.bound.contract.delay_duration for n in plan.live_nodes if isinstance(n.bound, SourceBound)), default=ZERO)
    for node in plan.live_nodes:
        upstream = [flows[reference.partition(".")[0]] for reference in node.inputs]
        flows[node.name] = rates.get(node.name) if node.op == SOURCE else _flow(node, upstream)
        bound = node.state
        if bound.kind != "none":
            inputs = tuple(plan.relation(reference) for reference in node.inputs)
            rows = _entries(node, _sum(upstream), keys.get(node.name), delay)
            rows = None if rows is None else rows * _times(plan, node.name)
            size = None if rows is None else rows * (ENTRY_BYTES + _width(node, inputs))
            found.append(StateForecast(node.name, bound, rows, size))
    return found


def _times(plan: Plan, name: str) -> int:
    """How often the state of a step is kept: a step upstream of several groups of outputs stands in a query for each of them."""
    parts = [plan.for_query(query) for query in plan.queries]
    return sum(name in part.upstream_of(group.root) for part in parts for group in part.groups)


def _flow(node: Node, upstream: list[float | None]) -> float | None:
    given = _sum(upstream)
    return None if given is None else given * (ASSUMED_PIECES if node.op in ("split", "explode") else 1)


def _sum(rates: list[float | None]) -> float | None:
    return None if None in rates else sum(rate for rate in rates if rate is not None)


def _entries(node: Node, rate: float | None, keys: int | None, delay: Duration) -> int | None:
    count = _ENTRIES.get(node.op, _per_key)
    return count(node.bound, rate, keys, delay)


def _rows_in(rate: float | None, span: Duration) -> int | None:
    return None if rate is None else round(rate * span.us / 1_000_000)


def _least(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return min(known) if known else None


def _per_key(bound: Any, rate: float | None, keys: int | None, delay: Duration) -> int | None:  # noqa: ARG001
    """One entry per key; where these are unknown, a day's rows."""
    return keys if keys is not None else _rows_in(rate, _DAY)


def _of_aggregate(bound: AggregateBound, rate: float | None, keys: int | None, delay: Duration) -> int | None:
    groups = keys if bound.by else 1
    wait = Duration(delay.us + bound.slack.us)
    match bound.window:
        case None:
            return _per_key(bound, rate, groups, delay)
        case SlidingSpec(size):
            return _rows_in(rate, Duration(size.us + wait.us))
        case SessionSpec(gap):
            return _least(_rows_in(rate, Duration(gap.us + wait.us)), None if groups is None else groups * _open(gap, gap, wait))
        case WindowSpec(size, advance):
            windows = _open(size, advance, wait)
            rows = _rows_in(rate, Duration(size.us + wait.us))
            return _least(None if rows is None else rows * bound.window.fanout, None if groups is None else groups * windows)
        case _:  # calendar: the one that is open, and the next while the first waits
            return None if groups is None else 2 * groups


def _open(size: Duration, advance: Duration, wait: Duration) -> int:
    """Windows of one key that are open at the same time."""
    return -(-(size.us + wait.us) // advance.us)


def _of_join(bound: Any, rate: float | None, keys: int | None, delay: Duration) -> int | None:  # noqa: ARG001
    if bound.before is None:
        return _rows_in(rate, _DAY)
    return _rows_in(rate, Duration(max(0, bound.before.us + bound.after.us) + delay.us + bound.slack.us))


def _of_deduplicate(bound: Any, rate: float | None, keys: int | None, delay: Duration) -> int | None:
    within = bound.within or ZERO
    return _least(keys, _rows_in(rate, Duration(within.us + delay.us)))


def _of_change(bound: Any, rate: float | None, keys: int | None, delay: Duration) -> int | None:
    return _of_aggregate(bound.of, rate, keys, delay)


_ENTRIES: Final[Mapping[str, Callable[[Any, float | None, int | None, Duration], int | None]]] = {
    "aggregate": _of_aggregate,
    "change": _of_change,
    "join": _of_join,
    "deduplicate": _of_deduplicate,
}


def _width(node: Node, inputs: tuple[Relation, ...]) -> int:
    """Bytes of an entry's values: the group's keys and measures, or the rows that are held."""
    bound = node.bound.of if node.op == "change" and hasattr(node.bound, "of") else node.bound
    if isinstance(bound, AggregateBound) and not isinstance(bound.window, SlidingSpec):
        keys = sum(_bytes_of(expression.type) for _, expression in bound.by)
        return keys + sum(_CONTAINER if MEASURES[m.function].holds_values else 16 + _bytes_of(m.type) for m in bound.measures)
    fields = [field for relation in inputs for field in relation.schema]
    return sum(_bytes_of(field.type) for field in fields) // max(1, len(inputs))


def _bytes_of(data_type: DataType) -> int:
    if isinstance(data_type, Array | Map | Struct):
        return _CONTAINER
    return _TEXT if data_type in (STRING, BYTES) else 8
