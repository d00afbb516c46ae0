"""How far out of order a stream's records come, and how many any delay would make late.

A record is behind by how much its event time is smaller than the greatest one before it in its partition, and
by how much later records of its partition come than those of the quickest one: the watermark follows the
greatest event time of all partitions. With a delay of d, steps drop rows that are behind by more than d as
late, if the window of the row has closed by then, which a grace of g puts off by g: the share is an upper
bound (`docs/semantics/watermarks-and-lateness.md#late-and-closed`).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from weir.streams.services.row_sample import SampledRecord
from weir.streams.services.slices import Slice

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
DELAYS: Final = (
    0,
    *(seconds * SECOND for seconds in (1, 2, 5, 10, 30)),
    *(minutes * MINUTE for minutes in (1, 2, 5, 10, 30)),
    *(hours * HOUR for hours in (1, 2, 6, 12)),
    *(days * DAY for days in (1, 2, 7)),
)
"""Delays for which the share of late rows is told, in µs."""
QUANTILES: Final = (0.5, 0.9, 0.99, 0.999, 1.0)
ACCEPTED: Final = 0.001
"""Share of late rows that a proposed delay accepts at most."""
MOST_KEYS: Final = 5
MIN_SPAN: Final = 10 * MINUTE
"""Kafka time that a proposal rests on at least."""
_FIRST: Final = 20
"""Records of a slice that only show which event time was reached before it, at most half of it."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """Disorder of a sample.

    Attributes:
        records: rows that were compared.
        span_us: from the smallest to the greatest Kafka timestamp.
        slices: places of the topic that were read.
        behind: (quantile, µs) in the order of `QUANTILES`.
        late: (delay in µs, share of rows behind by more) in the order of `DELAYS`.
        proposed_us: the smallest of `DELAYS` that makes at most `ACCEPTED` of the rows late; None: none does,
            or the span is below `MIN_SPAN`.
        delay_share: share that the stream's own delay makes late; None without one.
        partitions: (partition, rows, µs of the 99th percentile, greatest µs, µs by which its records come
            later than those of the quickest partition).
        keys: the keys whose rows are furthest behind: (key as text, rows, greatest µs); empty without keys.
    """

    records: int
    span_us: int
    slices: int
    behind: tuple[tuple[float, int], ...]
    late: tuple[tuple[int, float], ...]
    proposed_us: int | None
    delay_share: float | None
    partitions: tuple[tuple[int, int, int, int, int], ...]
    keys: tuple[tuple[str, int, int], ...]

    def as_json(self) -> dict[str, Any]:
        """The form of the API; spans in seconds."""
        return {
            "records": self.records,
            "span_seconds": self.span_us / SECOND,
            "min_span_seconds": MIN_SPAN / SECOND,
            "slices": self.slices,
            "delay_share": self.delay_share,
            "behind": [{"quantile": quantile, "seconds": us / SECOND} for quantile, us in self.behind],
            "late": [{"delay_seconds": delay / SECOND, "share": share} for delay, share in self.late],
            "proposed_seconds": None if self.proposed_us is None else self.proposed_us / SECOND,
            "partitions": [
                {
                    "partition": partition,
                    "records": rows,
                    "p99_seconds": p99 / SECOND,
                    "max_seconds": most / SECOND,
                    "later_seconds": later / SECOND,
                }
                for partition, rows, p99, most, later in self.partitions
            ],
            "keys": [
                {"key": key, "records": rows, "max_seconds": most / SECOND} for key, rows, most in self.keys
            ],
        }


def lateness(slices: Sequence[Slice], key: Sequence[str] = (), delay_us: int | None = None) -> Lateness:
    """Measure the disorder of a stream.

    Args:
        slices: of its topic.
        key: fields by which rows are compared, too; empty: not.
        delay_us: the stream's own delay in µs; None: it has none.
    """
    later = _later(slices)
    compared = [
        (record, us + later[slice.partition]) for slice in slices for record, us in _behind(slice.rows)
    ]
    ordered = sorted(us for _, us in compared)
    stamps = [record.timestamp_us for slice in slices for record in slice.rows]
    span = max(stamps) - min(stamps) if stamps else 0
    late = tuple((delay, late_share(ordered, delay)) for delay in DELAYS)
    fits = ordered and span >= MIN_SPAN
    return Lateness(
        records=len(ordered),
        span_us=span,
        slices=len(slices),
        behind=tuple((quantile, at_quantile(ordered, quantile)) for quantile in QUANTILES),
        late=late,
        proposed_us=next((delay for delay, share in late if share <= ACCEPTED), None) if fits else None,
        delay_share=None if delay_us is None else late_share(ordered, delay_us),
        partitions=tuple(_by_partition(compared, later)),
        keys=tuple(_by_key(compared, key)) if key else (),
    )


def _behind(records: Sequence[SampledRecord]) -> Iterable[tuple[SampledRecord, int]]:
    """Records of a slice but its first, and how far each is behind the greatest before it, µs."""
    first = min(_FIRST, len(records) // 2)
    greatest = max((int(record.row.event_time) for record in records[:first]), default=None)
    for record in records[first:]:
        time = int(record.row.event_time)
        greatest = time if greatest is None else max(greatest, time)
        yield record, greatest - time


def _later(slices: Sequence[Slice]) -> dict[int, int]:
    """By partition, how much later its records come than those of the quickest one, µs: the median over
    its slices of the least difference between Kafka timestamp and event time.
    """
    gaps: dict[int, list[int]] = defaultdict(list)
    for slice in slices:
        if slice.rows:
            gaps[slice.partition].append(
                min(record.timestamp_us - int(record.row.event_time) for record in slice.rows)
            )
    typical = {partition: int(median(values)) for partition, values in gaps.items()}
    quickest = min(typical.values(), default=0)
    return {partition: gap - quickest for partition, gap in typical.items()}


def at_quantile(ordered: Sequence[int], quantile: float) -> int:
    """The smallest value that at least this share of the values doesn't exceed; 0 for no values.

    Args:
        ordered: values, ascending.
        quantile: above 0, at most 1.
    """
    return ordered[max(0, -int(-quantile * len(ordered) // 1) - 1)] if ordered else 0


def late_share(ordered: Sequence[int], delay: int) -> float:
    """Share of the values that are greater than a delay; 0 for no values.

    Args:
        ordered: values, ascending.
        delay: in the same unit.
    """
    return (len(ordered) - bisect_right(ordered, delay)) / len(ordered) if ordered else 0.0


def _by_partition(
    compared: Sequence[tuple[SampledRecord, int]], later: Mapping[int, int]
) -> Iterable[tuple[int, int, int, int, int]]:
    grouped: dict[int, list[int]] = defaultdict(list)
    for record, us in compared:
        grouped[record.partition].append(us)
    for partition, values in sorted(grouped.items()):
        values.sort()
        yield partition, len(values), at_quantile(values, 0.99), values[-1], later[partition]


def _by_key(compared: Sequence[tuple[SampledRecord, int]], key: Sequence[str]) -> list[tuple[str, int, int]]:
    grouped: dict[str, list[int]] = defaultdict(list)
    for record, us in compared:
        grouped[", ".join(str(record.row.values.get(name)) for name in key)[:100]].append(us)
    furthest = sorted(grouped.items(), key=lambda one: -max(one[1]))
    return [(name, len(values), max(values)) for name, values in furthest[:MOST_KEYS]]
