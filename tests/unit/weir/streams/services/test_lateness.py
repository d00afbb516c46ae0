"""Disorder of a sample, and what a delay would make late."""

from typing import Any

import pytest

from jobs.base.instants import Instant
from jobs.formats.records import Row
from weir.streams.services.lateness import SECOND, at_quantile, late_share, late_share_of, lateness
from weir.streams.services.row_sample import RowSample, SampledRecord


def sample(*times: float, partition: int = 0, **values: Any) -> RowSample:
    rows = tuple(
        SampledRecord(Row(values, Instant(int(time * SECOND))), partition, number, number)
        for number, time in enumerate(times)
    )
    return RowSample(len(rows), rows, (), 0, 0)


def test_records_in_order_are_never_behind() -> None:
    found = lateness(sample(1, 2, 3, 3, 9))
    assert {us for _, us in found.behind} == {0}
    assert (found.proposed_us, found.span_us, found.keys) == (0, 8 * SECOND, ())


def test_a_record_is_behind_the_greatest_before_it() -> None:
    found = lateness(sample(10, 4, 12, 11, 7))  # behind by 0, 6, 0, 1, 5
    assert found.behind[-1] == (1.0, 6 * SECOND)
    shares = dict(found.late)
    assert [shares[delay * SECOND] for delay in (0, 1, 5, 10)] == [3 / 5, 2 / 5, 1 / 5, 0]
    assert found.proposed_us == 10 * SECOND
    assert late_share_of(sample(10, 4, 12, 11, 7), 6 * SECOND) == 0


def test_one_in_a_thousand_may_be_late() -> None:
    times = [*range(1_000, 3_000), 1_000]
    assert lateness(sample(*times)).proposed_us == 0
    assert lateness(sample(*times, 1_000, 1_000)).proposed_us == 3_600 * SECOND


def test_far_behind_no_delay_is_proposed() -> None:
    assert lateness(sample(9e9, 1, 1)).proposed_us is None


def test_no_records() -> None:
    found = lateness(sample())
    assert (found.records, found.proposed_us, found.partitions) == (0, None, ())
    assert {share for _, share in found.late} == {0.0}


def test_partitions_and_keys_are_told_apart() -> None:
    early, behind = sample(10, 11, partition=0, k="a"), sample(2, 3, partition=1, k="b")
    both = RowSample(4, early.rows + behind.rows, (), 0, 0)
    found = lateness(both, ["k"])
    assert found.partitions == ((0, 2, 0, 0), (1, 2, 9 * SECOND, 9 * SECOND))
    assert found.keys == (("b", 2, 9 * SECOND), ("a", 2, 0))


@pytest.mark.parametrize(("quantile", "expected"), [(0.5, 2), (0.9, 4), (0.25, 1), (0.26, 2), (1.0, 4)])
def test_quantiles_are_values_of_the_sample(quantile: float, expected: int) -> None:
    assert at_quantile([1, 2, 3, 4], quantile) == expected


def test_a_share_counts_what_is_greater() -> None:
    assert [late_share([1, 2, 2, 9], delay) for delay in (0, 1, 2, 9)] == [1, 0.75, 0.25, 0]
