"""A consumer's position, from metrics that are as old as the records that it got last."""

import pytest

from jobs.engine.consumer_metrics import ConsumerProgress

CASES = [
    ("nothing happened since", ConsumerProgress(lag=30, lead=70), (0, 100), 70),
    ("records were written since", ConsumerProgress(lag=30, lead=70), (0, 5_000), 70),
    ("retention deleted records since", ConsumerProgress(lag=30, lead=70), (60, 100), 70),
    ("all was read, and deleted since", ConsumerProgress(lag=0, lead=100), (100, 100), 100),
    ("both: too high, by what was written", ConsumerProgress(lag=30, lead=70), (60, 110), 80),
    ("it began behind what was deleted", ConsumerProgress(lag=10, lead=40), (1_000, 1_050), 1_040),
]


@pytest.mark.parametrize(
    ("read", "partition", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_position_is_that_of_when_records_came_last(
    read: ConsumerProgress, partition: tuple[int, int], expected: int
) -> None:
    assert read.position(*partition) == expected
