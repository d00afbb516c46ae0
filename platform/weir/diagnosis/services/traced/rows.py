"""Rows with trails, and how they are grouped and ordered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jobs.base.instants import datetime_of, nearest_instant
from jobs.formats.records import json_value
from jobs.plan.model import Node, SourceBound
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import NOT_COMPUTED, StepRows, UnknownRowsError
from weir.diagnosis.services.trail import RecordPlace, Trail, identity_order

NOT_DECIDED: Final = "only an engine can compute which rows pass"


def trail_of(row: SampledRow) -> Trail:
    """The trail of a row that has one."""
    if row.trail is None:
        raise TypeError("a row without a trail")
    return row.trail


def source_row(
    node: Node, values: Mapping[str, Any], time_us: int, partition: int, offset: int, *, deleted: bool = False
) -> SampledRow:
    """A record of a source as the first row of a trail.

    Args:
        node: the source.
        values: of the record, system fields included.
        time_us: its event time.
        partition: of the record.
        offset: of the record.
        deleted: it deletes a key of a table.
    """
    bound = node.bound
    assert isinstance(bound, SourceBound)
    if bound.contract.kind == "table":
        identity = tuple(identity_part(values.get(name)) for name in bound.contract.key)
    else:
        identity = (node.name, partition, offset)
    records = frozenset((RecordPlace(node.name, partition, offset),))
    return SampledRow(values, time_us, Trail(identity, records, (partition, offset), deleted=deleted))


def newest_entry(versions: Iterable[SampledRow], by: str) -> SampledRow | None:
    """The entry that a table has of a key; None: there is none.

    Args:
        versions: all entries of the key, deletions included.
        by: ``offset`` or ``event_time``.
    """
    if by == "offset":
        return max(versions, key=lambda row: trail_of(row).order, default=None)
    return max(versions, key=lambda row: (row.time_us, trail_of(row).order), default=None)


def at_time(values: Mapping[str, Any], time_us: int, trail: Trail) -> SampledRow:
    """A row of an event time, which for a window may lie after the year 9999."""
    return SampledRow({**values, "_time": datetime_of(nearest_instant(time_us))}, time_us, trail)


def require_computed(names: Iterable[str], given: StepRows) -> None:
    """UnknownRowsError where one of these fields is not computed here."""
    if given.uncomputed.intersection(names):
        raise UnknownRowsError(NOT_COMPUTED)


def by_fields(names: Iterable[str], rows: Iterable[SampledRow]) -> dict[tuple[Any, ...], list[SampledRow]]:
    """Rows by the values of these fields."""
    fields = list(names)
    found: dict[tuple[Any, ...], list[SampledRow]] = defaultdict(list)
    for row in rows:
        found[tuple(identity_part(row.values.get(name)) for name in fields)].append(row)
    return dict(found)


def row_order(row: SampledRow) -> tuple[Any, ...]:
    """By event time, then by identity."""
    return row.time_us, identity_order(trail_of(row).identity)


def identity_part(value: Any) -> Any:
    """A value as a part of an identity, which can be a key of a dictionary."""
    plain = json_value(value)
    return repr(plain) if isinstance(plain, list | dict) else plain
