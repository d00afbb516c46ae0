"""The columns of sources in which the key of an output's row stands."""

from collections.abc import Iterator
from dataclasses import dataclass

from jobs.base.types import TIMESTAMP, is_key_type
from jobs.operators.join_bound import JoinBound
from jobs.operators.lineage import NOTHING
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan
from jobs.plan.model import SourceBound
from jobs.row_origins import row_origins

_BY_KEY = frozenset(("GROUP_BY", "JOIN"))


@dataclass(frozen=True, slots=True)
class KeyColumns:
    """Where a source has the key.

    Attributes:
        fields: in the order of their names.
        partners: sources that a join compares with one of these fields: they must have the key too.
    """

    fields: tuple[str, ...]
    partners: frozenset[str]


def key_columns(plan: Plan, reference: str) -> dict[str, KeyColumns]:
    """Where the key of an output's rows comes from, by source.

    Its identity where that is a key; otherwise what it is grouped and joined by; otherwise the keys of its
    streams, or all that may be a key. Columns that a join makes equal to one of these are among them.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port`` of the output.
    """
    able = frozenset(_able(plan, reference))
    equal = [columns & able for columns in _equal(plan)]
    first = next((found for one in _candidates(plan, reference) if (found := one & able)), NOTHING)
    while (more := first.union(*(columns for columns in equal if columns & first))) != first:
        first = more
    by_source: dict[str, set[str]] = {}
    for column in first:
        source, _, field = column.partition(".")
        by_source.setdefault(source, set()).add(field)
    return {
        source: KeyColumns(tuple(sorted(fields)), _partners(source, fields, equal))
        for source, fields in by_source.items()
    }


def _candidates(plan: Plan, reference: str) -> Iterator[frozenset[str]]:
    relation = plan.relation(reference)
    if relation.identity_kind == "key":
        yield NOTHING.union(*(plan.lineage[reference].get(name, NOTHING) for name in relation.identity))
    deciding = row_origins(plan, reference)
    yield frozenset(column for column, how in deciding.items() if how & _BY_KEY)
    yield frozenset(
        f"{node.name}.{name}"
        for node in plan.live_nodes
        if isinstance(node.bound, SourceBound)
        for name in node.bound.contract.key or ()
    )
    yield frozenset(_able(plan, reference))


def _able(plan: Plan, reference: str) -> Iterator[str]:
    """Columns of the output's sources that people may mean by a key: no times."""
    upstream = plan.upstream_of(reference)
    for node in plan.live_nodes:
        if node.name in upstream and isinstance(node.bound, SourceBound):
            for field in node.bound.contract.schema_of_rows:
                if is_key_type(field.type) and field.type != TIMESTAMP:
                    yield f"{node.name}.{field.name}"


def _equal(plan: Plan) -> Iterator[frozenset[str]]:
    """Columns that a join compares."""
    for node in plan.live_nodes:
        if isinstance(node.bound, JoinBound | TableJoinBound):
            left, right = (plan.lineage[reference] for reference in node.inputs)
            for pair in node.bound.on:
                yield left.get(pair.left, NOTHING) | right.get(pair.right, NOTHING)


def _partners(source: str, fields: set[str], equal: list[frozenset[str]]) -> frozenset[str]:
    own = {f"{source}.{field}" for field in fields}
    others = NOTHING.union(*(columns for columns in equal if columns & own))
    return frozenset(column.partition(".")[0] for column in others) - {source}
