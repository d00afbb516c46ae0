"""Rows per second of steps, from batches."""

from jobs.kafka_messages import ProgressReport
from weir.lag.services.batch_rates import BatchRates

S = 1_000_000
HEADER = {"at_us": 1, "engine_id": "e", "incarnation": "i", "run_id": "r", "epoch": 1, "batch": 1}


def batch(
    began: float, seconds: float, query: str | None = None, written: int = 0, **given: int
) -> ProgressReport:
    return ProgressReport(
        **HEADER, query=query, began_us=int(began * S), duration_ms=int(seconds * 1_000),
        rows_in=0, rows_out=written, sources={}, given=given,
    )  # fmt: skip


def test_a_short_batch_is_no_rate() -> None:
    rates = BatchRates()
    rates.add(batch(10, 0.01, stats=20))
    assert rates.per_second(12 * S) == {"stats": None}


def test_batches_of_micro_batch_mode_are_spread_over_the_clock() -> None:
    rates = BatchRates()
    for second in range(10, 30):
        rates.add(batch(second, 0.05, stats=10))
    found = rates.per_second(29 * S + 50_000)["stats"]
    assert found is not None
    assert 10 <= found < 11


def test_a_query_that_runs_no_batch_slows_down_to_zero() -> None:
    rates = BatchRates()
    for second in range(10, 30):
        rates.add(batch(second, 0.05, stats=10))
    slower = rates.per_second(60 * S)["stats"]
    assert slower is not None
    assert 4 < slower < 6
    assert rates.per_second(200 * S) == {"stats": 0.0}


def test_a_commit_interval_that_is_not_over_says_nothing() -> None:
    rates = BatchRates()
    rates.add(batch(0, 30, stats=300))
    assert rates.per_second(59 * S) == {"stats": 10.0}
    rates.add(batch(30, 30, stats=900))
    assert rates.per_second(61 * S) == {"stats": 20.0}


def test_each_query_has_its_own_batches() -> None:
    rates = BatchRates()
    rates.add(batch(0, 10, "update", now=100))
    rates.add(batch(0, 20, "append", done=20))
    assert rates.per_second(20 * S) == {"now": 10.0, "done": 1.0}


def test_a_batch_that_is_repeated_after_a_crash_counts_once() -> None:
    rates = BatchRates()
    rates.add(batch(0, 10, stats=100))
    rates.add(batch(0, 10, stats=100))
    assert rates.per_second(10 * S) == {"stats": 10.0}


def test_what_queries_write_is_summed_over_the_same_time() -> None:
    rates = BatchRates()
    assert rates.written_per_second(0) is None
    rates.add(batch(0, 10, query="update", written=100))
    assert rates.written_per_second(10 * S) == 10.0
    rates.add(batch(8, 2, query="append", written=40))
    assert rates.written_per_second(10 * S) is None  # of the other query too little is known
    rates.add(batch(10, 10, query="append", written=80))
    rates.add(batch(10, 10, query="update", written=100))
    assert rates.written_per_second(20 * S) == 20.0
