"""A consumer's position, from metrics that are as old as the records that it got last."""

import pytest

from jobs.engine.consumer_metrics import ConsumerProgress, parse_reading

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


LINES = """\
consumer-weir-r-1-0-c-abc-executor-9\tt\t0\t5.0\t10.0
consumer-weir-r-1-0-c-abc-executor-10\tt\t0\t3.0\t12.0
consumer-weir-r-1-0-c-abc-executor-10\tt\t1\tNaN\tNaN
consumer-weir-r-1-0-c-abc-executor-9\tt\t1\t7.0\t8.0
consumer-weir-r-1-0-c-abc-executor-9\tt\t2\t0.0\t20.0
consumer-weir-other-1-0-c-abc-executor-3\tt\t0\t1.0\t1.0
"""


def test_a_partition_s_newest_consumer_counts_even_before_its_first_records() -> None:
    assert parse_reading(LINES).of("weir-r-1-0-c-") == {
        ("t", 0): ConsumerProgress(lag=3, lead=12),
        ("t", 2): ConsumerProgress(lag=0, lead=20),
    }


def test_consumers_of_an_attempt_that_has_none_have_no_progress() -> None:
    assert parse_reading(LINES).of("weir-r-1-1-c-") == {}
    assert parse_reading("").of("weir-r-1-0-c-") == {}
