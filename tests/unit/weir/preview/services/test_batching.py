"""Records are read in one batch unless a row of them may be late."""

from typing import Any

import pytest

from jobs.plan import Plan
from jobs.play import PlayRecord
from tests.unit.weir.diagnosis.services.made_evidence import (
    BOTH,
    FILTER,
    SECOND,
    UPDATES,
    planned,
)
from weir.preview.services.batching import batches
from weir.preview.services.samples import Sample

NOW = 1_767_261_600
JOIN = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)


def arrived(*times: int | None, known: bool = True, first: int = 0, every: int = 1) -> Sample:
    """Records that arrive a second apart, with event times in s."""
    records = tuple(
        PlayRecord(timestamp_us=(NOW + first + at * every) * SECOND, offset=at) for at in range(len(times))
    )
    moments = tuple(None if at is None else (NOW + at) * SECOND for at in times)
    return Sample(records, times=moments if known else None)


def offsets(plan: Plan, **samples: Sample) -> list[dict[str, list[Any]]]:
    return [
        {name: [record.offset for record in sent] for name, sent in batch.records.items()}
        for batch in batches(plan, samples)
    ]


# the delay of orders is 5 s
@pytest.mark.parametrize(
    ("sample", "late"),
    [
        (arrived(0, 1, 2, 3), False),
        (arrived(0, 10, 6, 11), False),
        (arrived(0, 10, 5, 11), True),
        (arrived(10, 5, 11, 12), False),  # behind a row of its own half
        (arrived(None, 10, None, 11), False),
        (arrived(0, 1, 2, 3, known=False), True),
        (arrived(), False),
    ],
)
def test_two_halves_are_read_where_a_row_is_behind_the_watermark(sample: Sample, late: bool) -> None:
    whole = list(range(len(sample.records)))
    half = len(whole) // 2
    expected = [{"orders": whole[:half]}, {}, {"orders": whole[half:]}] if late else [{"orders": whole}]
    found = offsets(UPDATES, orders=sample)
    assert found == (expected if whole else [{}])
    assert [batch.closing for batch in batches(UPDATES, {"orders": sample})] == (
        [False, False, True] if late else [True]
    )


def test_without_state_nothing_is_late() -> None:
    assert len(offsets(FILTER, orders=arrived(100, 100, 0, 0))) == 1


def test_the_fastest_source_decides() -> None:
    slow = arrived(0, 1, 2, 3)
    fast = arrived(100, 101, 102, 103, first=-10)
    assert len(offsets(JOIN, orders=slow, payments=fast)) == 3
    assert len(offsets(JOIN, orders=slow, payments=slow)) == 1
