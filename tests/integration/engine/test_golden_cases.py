"""Every golden case, on a real broker: after each batch in micro-batch mode, after the whole script in real-time mode.

The cases run side by side, because most of their time is waiting; each is judged on its own.
"""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from jobs.messages import DesiredRun, RunMode
from tests.oracle.cases import Case, differences, load_cases
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

CASES = load_cases()
SIDE_BY_SIDE = 6
SECONDS = 240.0

Outcomes = Callable[[Case, RunMode], list[str]]


@pytest.fixture(scope="module")
def outcome(request: pytest.FixtureRequest, spark: SparkSession, bench: Bench) -> Iterator[Outcomes]:
    """Starts all selected cases at the first question."""
    asked = [item.callspec.params for item in request.session.items if getattr(item, "module", None) is request.module]  # type: ignore[attr-defined]
    pool = ThreadPoolExecutor(SIDE_BY_SIDE)
    futures: dict[tuple[str, RunMode], Future[list[str]]] = {
        (params["case"].title, params["mode"]): pool.submit(play, spark, bench, params["case"], params["mode"]) for params in asked
    }
    yield lambda case, mode: futures[case.title, mode].result()
    pool.shutdown(cancel_futures=True)


def in_both_modes(case: Case) -> list[RunMode]:
    """Real-time mode has no final results, and cuts batches by time: scripts about lateness say nothing there."""
    return ["microbatch"] if case.final or case.late else ["microbatch", "realtime"]


def short_or_long(case: Case) -> list[pytest.MarkDecorator]:
    """The contract's worked examples run with every change; all sixty cases take minutes."""
    return [] if case.title.startswith("6.") else [pytest.mark.long]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("case", "mode"),
    [pytest.param(case, mode, id=f"{case.title}: {mode}", marks=short_or_long(case)) for case in CASES for mode in in_both_modes(case)],
)
def test_case(outcome: Outcomes, case: Case, mode: RunMode) -> None:
    assert outcome(case, mode) == []


def play(spark: SparkSession, bench: Bench, case: Case, mode: RunMode) -> list[str]:
    """What differs, by batch."""
    topic = bench.topic("in")
    at_once = case.exact_batches or mode == "realtime"
    one_by_one = {"max_rows_per_batch": 1} if case.exact_batches and mode == "microbatch" else {}
    run = bench.run(json.loads(case.document), {"s": (topic, StreamContract.model_validate(case.contracts["s"]))}, mode, **one_by_one)
    batches = [batch.get("s", []) for batch in case.batches]
    if at_once:
        for batch in batches:
            bench.produce(topic, list(batch))
    query = start_query(spark, run, plan_of(run), bench.home, ProgressListener(lambda text: None, lambda: None))
    results = bench.results(run)
    try:
        found: list[str] = []
        sent = 0
        for number, batch in enumerate(batches):
            sent += len(batch)
            last = number == len(batches) - 1
            if not at_once and batch:
                bench.produce(topic, list(batch))
            if (at_once and not last) or (case.final and not last and not batches[number + 1]):
                continue  # Spark adds the empty batch by itself: only what stands after it can be seen
            settle(query, run, topic, sent, case.final)
            found += [
                f"after batch {number + 1}: {text}" for text in differences(case.expected_after[number], results.read(), case.approximate)
            ]
        return found
    finally:
        query.stop()
        results.close()


def settle(query: StreamingQuery, run: DesiredRun, topic: str, sent: int, final: bool) -> None:
    """Wait until all of it is committed and, where final results are wanted, the empty batch behind it has run."""

    def settled() -> bool:
        error = query.exception()
        if error is not None:
            raise AssertionError(str(error)[:3000])
        progress = query.lastProgress
        if progress is None:
            return False
        ends = json.loads(progress.sources[0].endOffset or "{}").get(topic, {})
        idle = not final or (progress.numInputRows == 0 and not query.status["isTriggerActive"])
        return bool(ends.get("0", 0) >= sent and idle)

    wait_until(settled, SECONDS, f"{run.run_id} has read {sent} records")
