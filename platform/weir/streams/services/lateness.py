"""How far out of order a stream's records come, and how many any delay would make late.

A record is behind by how much its event time is smaller than the greatest one before it, in the order in
which records were written. With a delay of d, steps drop rows that are behind by more than d as late, if the
window of the row has closed by then: the share is an upper bound
(`docs/semantics/watermarks-and-lateness.md#late-and-closed`).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weir.streams.services.row_sample import RowSample, SampledRecord

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


@dataclass(frozen=True, slots=True)
class Lateness:
    """Disorder of a sample.

    Attributes:
        records: rows that were compared.
        span_us: event time from the smallest to the greatest.
        behind: (quantile, µs) in the order of `QUANTILES`.
        late: (delay in µs, share of rows behind by more) in the order of `DELAYS`.
        proposed_us: the smallest of `DELAYS` that makes at most `ACCEPTED` of the rows late; None: none does.
        partitions: (partition, rows, µs of the 99th percentile, greatest µs).
        keys: the keys whose rows are furthest behind: (key as text, rows, greatest µs); empty without keys.
    """

    records: int
    span_us: int
    behind: tuple[tuple[float, int], ...]
    late: tuple[tuple[int, float], ...]
    proposed_us: int | None
    partitions: tuple[tuple[int, int, int, int], ...]
    keys: tuple[tuple[str, int, int], ...]

    def as_json(self) -> dict[str, Any]:
        """The form of the API; spans in seconds."""
        return {
            "records": self.records,
            "span_seconds": self.span_us / SECOND,
            "behind": [{"quantile": quantile, "seconds": us / SECOND} for quantile, us in self.behind],
            "late": [{"delay_seconds": delay / SECOND, "share": share} for delay, share in self.late],
            "proposed_seconds": None if self.proposed_us is None else self.proposed_us / SECOND,
            "partitions": [
                {
                    "partition": partition,
                    "records": rows,
                    "p99_seconds": p99 / SECOND,
                    "max_seconds": most / SECOND,
                }
                for partition, rows, p99, most in self.partitions
            ],
            "keys": [
                {"key": key, "records": rows, "max_seconds": most / SECOND} for key, rows, most in self.keys
            ],
        }


def lateness(sample: RowSample, key: Sequence[str] = ()) -> Lateness:
    """Measure the disorder of a sample.

    Args:
        sample: in the order in which it was written.
        key: fields by which rows are compared, too; empty: not.
    """
    behind = _behind(sample.rows)
    ordered = sorted(behind)
    times = [record.row.event_time for record in sample.rows]
    late = tuple((delay, late_share(ordered, delay)) for delay in DELAYS)
    return Lateness(
        records=len(behind),
        span_us=max(times) - min(times) if times else 0,
        behind=tuple((quantile, at_quantile(ordered, quantile)) for quantile in QUANTILES),
        late=late,
        proposed_us=next((delay for delay, share in late if share <= ACCEPTED), None) if ordered else None,
        partitions=tuple(_by_partition(sample.rows, behind)),
        keys=tuple(_by_key(sample.rows, behind, key)) if key else (),
    )


def _behind(records: Iterable[SampledRecord]) -> list[int]:
    """By record, how far it is behind the greatest event time before it, µs."""
    found, greatest = [], None
    for record in records:
        time = int(record.row.event_time)
        greatest = time if greatest is None else max(greatest, time)
        found.append(greatest - time)
    return found


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


def late_share_of(sample: RowSample, delay: int) -> float:
    """Share of a sample's rows that are behind by more than a delay.

    Args:
        sample: in the order in which it was written.
        delay: in µs.
    """
    return late_share(sorted(_behind(sample.rows)), delay)


def _by_partition(
    records: Sequence[SampledRecord], behind: Sequence[int]
) -> Iterable[tuple[int, int, int, int]]:
    grouped: dict[int, list[int]] = defaultdict(list)
    for record, us in zip(records, behind, strict=True):
        grouped[record.partition].append(us)
    for partition, values in sorted(grouped.items()):
        values.sort()
        yield partition, len(values), at_quantile(values, 0.99), values[-1]


def _by_key(
    records: Sequence[SampledRecord], behind: Sequence[int], key: Sequence[str]
) -> list[tuple[str, int, int]]:
    grouped: dict[str, list[int]] = defaultdict(list)
    for record, us in zip(records, behind, strict=True):
        grouped[", ".join(str(record.row.values.get(name)) for name in key)[:100]].append(us)
    furthest = sorted(grouped.items(), key=lambda one: -max(one[1]))
    return [(name, len(values), max(values)) for name, values in furthest[:MOST_KEYS]]
