"""How long records are gathered for a run in real-time mode."""

import pytest

from jobs.engine.fetch_wait import MAX_MS, consumer_options, fetch_wait_ms, producer_options, shuffle_wait_ms


@pytest.mark.parametrize(("runs", "cores"), [(1, 1), (2, 2), (8, 8)])
def test_few_runs_get_each_record_at_once(runs: int, cores: int) -> None:
    wait_ms = fetch_wait_ms(runs, cores)
    assert wait_ms == 0
    assert producer_options(wait_ms) == {"kafka.linger.ms": "0"}


def test_the_wait_grows_with_the_runs_of_a_core_up_to_a_limit() -> None:
    waits = [fetch_wait_ms(runs, 2) for runs in range(3, 200)]
    assert waits == sorted(waits)
    assert waits[0] == 60
    assert waits[-1] == MAX_MS


def test_rows_between_stages_wait_for_a_small_part_of_that() -> None:
    assert [shuffle_wait_ms(wait) for wait in (0, 60, 200, MAX_MS)] == [5, 5, 10, 40]


def test_only_runs_that_share_an_engine_can_be_gathered_for() -> None:
    assert consumer_options(shares=True)["kafka.fetch.min.bytes"] == "65536"
    assert "kafka.fetch.min.bytes" not in consumer_options(shares=False)


def test_what_is_gathered_is_written_together() -> None:
    assert producer_options(200) == {"kafka.linger.ms": "40"}


def test_cores_are_those_of_the_host() -> None:
    assert fetch_wait_ms(1) == 0
    assert fetch_wait_ms(100_000) == MAX_MS
