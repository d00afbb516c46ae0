"""An engine whose executors belong to a standalone Spark master, as with SPARK_MASTER=spark://…"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.messages import RunMode
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Record, Reports, Results
from tests.support.spark_master import SparkMaster

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

START = 1_767_261_600_000_000
SECOND = 1_000_000
CONTRACT = StreamContract.model_validate(
    {
        "fields": [{"name": "at", "type": "long", "nullable": False}, {"name": "k", "type": "string", "nullable": False}],
        "event_time": {"kind": "field", "field": "at", "unit": "us"},
        "delay": "1h",
    }
)
COUNTS: dict[str, Any] = {
    "format": 1,
    "name": "counts",
    "sources": {"s": {"stream": "events"}},
    "steps": {
        "n": {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "10s"}}, "by": ["k"], "measures": {"n": "count()"}},
    },
    "outputs": {"out": {"input": "n", "to": "result"}},
}


@pytest.fixture
def master(tmp_path: Path) -> Iterator[SparkMaster]:
    cluster = SparkMaster(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def reports(bench: Bench) -> Iterator[Reports]:
    following = Reports(bench)
    yield following
    following.close()


def events(count: int) -> list[Record]:
    """One event a second of one key."""
    return [(START // SECOND * SECOND + i * SECOND, {"at": START + i * SECOND, "k": "a"}) for i in range(count)]


def await_counts(results: Results, expected: list[int], engine: EngineProcess) -> None:
    def counts() -> list[int]:
        return sorted(row["n"] for row in results.read().values())

    wait_until(lambda: counts() == expected, 120, f"counts are {expected}; the engine's log ends:\n{engine.tail()}")


def test_runs_of_both_modes(bench: Bench, master: SparkMaster, reports: Reports) -> None:
    engine = EngineProcess(bench, "engine-standalone", master=master.address, slots=8)
    try:
        reports.ready(engine)
        modes: tuple[RunMode, ...] = ("realtime", "microbatch")
        for mode in modes:
            topic = bench.topic("in")
            run = bench.run(COUNTS, {"s": (topic, CONTRACT)}, mode, engine_id=engine.engine_id)
            results = bench.results(run)
            bench.publish(run)
            bench.produce(topic, events(25))
            wait_until(
                lambda r=results: sorted(row["n"] for row in r.read().values()) == [5, 10, 10], 120, f"25 in {mode}: {engine.tail()}"
            )
            bench.publish(run.run_id)
            reports.state(run, "stopped", engine=engine)
            results.close()
        assert master.executors() > 0
    finally:
        engine.stop()
