"""Every golden case on Spark: after each batch in micro-batch mode without a broker, after the whole script in real-time mode on one.

The cases run side by side, because most of their time is waiting; each is judged on its own.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from jobs.engine.listener import ProgressListener
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from jobs.messages import DesiredRun, RunMode
from jobs.plan import SourceBound, plan_job
from tests.oracle.cases import Case, all_differences, load_cases
from tests.oracle.script import TOMBSTONE
from tests.support.played_case import SIDE_BY_SIDE, count_differences, play
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, Results

pytestmark = pytest.mark.integration

CASES = load_cases()
SECONDS = 240.0

Outcomes = Callable[[Case, RunMode], list[str]]


@pytest.fixture(scope="module")
def outcome(request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    """Starts all selected cases at the first question."""
    items = [item for item in request.session.items if getattr(item, "module", None) is request.module]
    asked = [item.callspec.params for item in items if "mode" in getattr(getattr(item, "callspec", None), "params", {})]  # type: ignore[attr-defined]
    bench: Bench | None = request.getfixturevalue("bench") if any(params["mode"] == "realtime" for params in asked) else None
    pool = ThreadPoolExecutor(SIDE_BY_SIDE)

    def start(case: Case, mode: RunMode) -> Future[list[str]]:
        if mode == "realtime":
            assert bench is not None
            return pool.submit(play_in_real_time, spark, bench, case)
        return pool.submit(play, spark, tmp_path_factory.mktemp("case"), case)

    futures = {(params["case"].title, params["mode"]): start(params["case"], params["mode"]) for params in asked}
    yield lambda case, mode: futures[case.title, mode].result()
    pool.shutdown(cancel_futures=True)


def modes(case: Case) -> list[RunMode]:
    """Real-time mode cuts batches by time: scripts about lateness say nothing there."""
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    document = json.loads(case.document)
    plan = plan_job({**document, "settings": {**document.get("settings", {}), "mode": "realtime"}}, contracts)
    flowing = [node.bound for node in plan.live_nodes if isinstance(node.bound, SourceBound) and node.name in plan.flowing]
    allowed = plan.ok and all(source.contract.kind == "stream" for source in flowing) and not case.late
    return ["microbatch", "realtime"] if allowed else ["microbatch"]


def short_or_long(case: Case) -> list[pytest.MarkDecorator]:
    """The contract's worked examples run with every change; all cases take minutes."""
    return [] if case.title.startswith("6.") else [pytest.mark.long]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("case", "mode"),
    [pytest.param(case, mode, id=f"{case.title}: {mode}", marks=short_or_long(case)) for case in CASES for mode in modes(case)],
)
def test_case(outcome: Outcomes, case: Case, mode: RunMode) -> None:
    assert outcome(case, mode) == []


def play_in_real_time(spark: SparkSession, bench: Bench, case: Case) -> list[str]:
    """What differs after the whole script; a table that is copied holds what the first batch says."""
    document = json.loads(case.document)
    topics = {
        name: (bench.topic("in"), StreamContract.model_validate(case.contracts[ref.get("stream") or ref["table"]]))
        for name, ref in document["sources"].items()
    }
    written = {name: bench.topic("out") for name in case.outputs}
    first, *others = written
    run = bench.run(document, topics, "realtime", result_topic=written[first], topics={name: written[name] for name in others})
    plan = plan_of(run)
    sent = 0
    for name, (topic, contract) in topics.items():
        batches = case.batches[:1] if name in plan.copied else case.batches
        records = [record for batch in batches for record in batch.get(name, [])]
        bench.produce(topic, [(at, None if TOMBSTONE in values else values) for at, values in records], keys=_keys(contract, records))
        sent += len(records) if name in plan.flowing else 0
    heard: list[BatchProgress] = []
    query = start_query(spark, run, plan, bench.home, ProgressListener(lambda text: heard.append(read_progress(text, run)), lambda: None))
    results = {name: Results(bench.reader(topic)) for name, topic in written.items()}
    try:
        settle(query, run, sent)
        found = all_differences(case.expected_after[-1], {name: found.read() for name, found in results.items()}, case.approximate)
        last = query.lastProgress
        assert last is not None
        wait_until(lambda: bool(heard) and heard[-1].batch >= last["batchId"], SECONDS, "the listener has heard of every batch")
        errors, malformed = (Counter[str](), Counter[str]())
        for batch in list(heard):
            errors.update(batch.expression_nulls)
            malformed.update(batch.malformed)
        return found + count_differences(case, dict(+errors), dict(+malformed))
    finally:
        query.stop()
        for found in results.values():
            found.close()


def _keys(contract: StreamContract, records: list[tuple[int, dict[str, Any]]]) -> list[bytes | None]:
    """The records' keys, as a table's producer writes them."""
    given = [values.get(TOMBSTONE, values) for _, values in records]
    return [json.dumps({name: values[name] for name in contract.key}).encode() if contract.key else None for values in given]


def settle(query: StreamingQuery, run: DesiredRun, sent: int) -> None:
    """Wait until all of it is committed."""

    def settled() -> bool:
        error = query.exception()
        if error is not None:
            raise AssertionError(str(error)[:3000])
        progress = query.lastProgress
        if progress is None:
            return False
        ends = [json.loads(source.endOffset or "{}") for source in progress.sources]
        return sum(offset for end in ends for partitions in end.values() for offset in partitions.values()) >= sent

    wait_until(settled, SECONDS, f"{run.run_id} has read {sent} records")
