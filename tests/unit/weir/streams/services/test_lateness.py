"""Disorder of slices of a stream, and what a delay would make late."""

from typing import Any

import pytest

from jobs.base.instants import Instant
from jobs.formats.records import Row
from weir.streams.services.lateness import MIN_SPAN, SECOND, at_quantile, late_share, lateness
from weir.streams.services.row_sample import SampledRecord
from weir.streams.services.slices import Slice

LATER = MIN_SPAN // SECOND  # s


def slice(*times: float, partition: int = 0, kafka: float = 0, late: float = 0, **values: Any) -> Slice:
    """Event times in s; the Kafka timestamp of all is `late` s after the greatest."""
    written = int((kafka or max(times, default=0) + late) * SECOND)
    return Slice(
        partition,
        tuple(
            SampledRecord(Row(values, Instant(int(time * SECOND))), partition, number, written)
            for number, time in enumerate(times)
        ),
    )


def test_records_in_order_are_never_behind() -> None:
    found = lateness([slice(1, 2, 3, 3, 9)])
    assert {us for _, us in found.behind} == {0}
    assert found.keys == ()


def test_a_record_is_behind_the_greatest_before_it() -> None:
    # Behind by 0, 1, 5; the first two only show what was reached.
    found = lateness([slice(10, 4, 12, 11, 7)], delay_us=SECOND)
    assert (found.records, found.behind[-1]) == (3, (1.0, 5 * SECOND))
    shares = dict(found.late)
    assert [shares[delay * SECOND] for delay in (0, 1, 5, 10)] == [2 / 3, 1 / 3, 0, 0]
    assert found.delay_share == 1 / 3


def test_slices_are_not_compared_with_each_other() -> None:
    """Hours are between them, and what was written there is not known."""
    found = lateness([slice(1, 2, 3, 4), slice(9_000, 9_001, 9_001, 9_002), slice(5, 6, 7, 8)])
    assert found.behind[-1][1] == 0


def test_partitions_are_ordered_each_for_itself() -> None:
    """What was written to two partitions at the same time has no order."""
    found = lateness([slice(1, 2, 3, 4, partition=0), slice(101, 102, 103, 104, partition=1)])
    assert found.behind[-1][1] == 0


def test_a_partition_that_comes_later_is_behind_the_quickest_one() -> None:
    quick, slow = slice(50, 60, 70, 80), slice(50, 60, 70, 80, partition=1, late=30)
    found = lateness([quick, slow])
    assert found.partitions == ((0, 2, 0, 0, 0), (1, 2, 30 * SECOND, 30 * SECOND, 30 * SECOND))


def test_no_delay_is_proposed_by_less_than_some_minutes() -> None:
    short = [slice(*range(100), kafka=1), slice(*range(100), kafka=LATER)]
    assert (lateness(short).proposed_us, lateness(short).span_us) == (None, MIN_SPAN - SECOND)
    long = [slice(*range(100), kafka=1), slice(*range(100), kafka=LATER + 1)]
    assert (lateness(long).proposed_us, lateness(long).slices) == (0, 2)


def test_one_in_a_thousand_may_be_late() -> None:
    times = [*range(1_000, 3_100), 1_000]
    of = [slice(*times, kafka=1), slice(kafka=1), slice(1, 2, kafka=LATER + 2)]
    assert lateness(of).proposed_us == 0
    of[0] = slice(*times, 1_000, 1_000, kafka=1)
    assert lateness(of).proposed_us == 3_600 * SECOND


def test_far_behind_no_delay_is_proposed() -> None:
    of = [slice(9e9, 1, 1, kafka=1), slice(1, 2, kafka=LATER + 2)]
    assert lateness(of).proposed_us is None


def test_no_records() -> None:
    found = lateness([])
    assert (found.records, found.proposed_us, found.partitions) == (0, None, ())
    assert {share for _, share in found.late} == {0.0}


def test_keys_are_told_apart() -> None:
    found = lateness([slice(10, 11, k="a"), slice(9, 2, partition=1, k="b")], ["k"])
    assert found.keys == (("b", 1, 7 * SECOND), ("a", 1, 0))


@pytest.mark.parametrize(("quantile", "expected"), [(0.5, 2), (0.9, 4), (0.25, 1), (0.26, 2), (1.0, 4)])
def test_quantiles_are_values_of_the_sample(quantile: float, expected: int) -> None:
    assert at_quantile([1, 2, 3, 4], quantile) == expected


def test_a_share_counts_what_is_greater() -> None:
    assert [late_share([1, 2, 2, 9], delay) for delay in (0, 1, 2, 9)] == [1, 0.75, 0.25, 0]
