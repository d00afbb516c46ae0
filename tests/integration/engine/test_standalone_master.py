"""An engine whose executors belong to a standalone Spark master, as with SPARK_MASTER=spark://…"""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from jobs.kafka_messages import RunMode
from tests.integration.engine.test_listening_sockets import is_loopback, listened_on
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.process_family import answers_of
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Record, Reports, Results
from tests.support.spark_master import SparkMaster
from weir.embedded.private_files import write_private

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture
def master(tmp_path: Path) -> Iterator[SparkMaster]:
    cluster = SparkMaster(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


def events(count: int) -> list[Record]:
    """One event a second of one key."""
    return [
        (START // SECOND * SECOND + i * SECOND, {"at": START + i * SECOND, "k": "a"}) for i in range(count)
    ]


def await_counts(results: Results, expected: list[int], engine: EngineProcess) -> None:
    def counts() -> list[int]:
        return sorted(row["n"] for row in results.read().values())

    wait_until(
        lambda: counts() == expected, 120, f"counts are {expected}; the engine's log ends:\n{engine.tail()}"
    )


def test_runs_of_both_modes(bench: Bench, master: SparkMaster, reports: Reports) -> None:
    engine = EngineProcess(
        bench, "engine-standalone", master=master.address, slots=8, secret=str(master.secret_file)
    )
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
                lambda r=results: sorted(row["n"] for row in r.read().values()) == [5, 10, 10],
                120,
                f"25 in {mode}: {engine.tail()}",
            )
            if mode == "realtime":
                assert_closed(engine, master)
            bench.publish(run.run_id)
            reports.state(run, "stopped", engine=engine)
            results.close()
        assert master.executors() > 0
    finally:
        engine.stop()


def assert_closed(engine: EngineProcess, master: SparkMaster) -> None:
    """Driver and executors listen on the master's network only (loopback).

    No process has the secret as argument.
    """
    addresses = listened_on(engine.pid) | listened_on(master.worker_pid)
    assert {address: name for address, name in addresses.items() if not is_loopback(address[0])} == {}
    secret = master.secret_file.read_text()
    commands = [
        " ".join(line)
        for root in (engine.pid, master.worker_pid)
        for line in answers_of(root, psutil.Process.cmdline)
    ]
    assert any("CoarseGrainedExecutorBackend" in command for command in commands)
    assert [command for command in commands if secret in command] == []
    assert secret not in engine.log.read_text(errors="replace")


def test_who_has_another_secret_is_not_let_in(bench: Bench, master: SparkMaster, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_private(other, "x" * 64)
    engine = EngineProcess(bench, "engine-stranger", master=master.address, slots=2, secret=str(other))
    try:
        wait_until(
            lambda: "Authentication failed" in engine.log.read_text(errors="replace"),
            180,
            "the master refuses it",
            engine.tail,
        )
        assert master.executors() == 0
    finally:
        engine.kill()
