"""An engine whose executors belong to a standalone Spark master, as with SPARK_MASTER=spark://…"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.messages import RunMode
from tests.support.counted_events import CONTRACT, COUNTS, SECOND, START
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Record, Reports, Results
from tests.support.spark_master import SparkMaster

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture
def master(tmp_path: Path) -> Iterator[SparkMaster]:
    cluster = SparkMaster(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


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
