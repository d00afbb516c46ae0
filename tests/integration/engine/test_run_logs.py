"""Two runs of two workspaces on one engine: each log has the lines of its own run, and no others."""

import json

import pytest

from jobs.kafka_messages import DesiredRun, LogLine, LogReport
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Record, Reports

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

EVENTS: list[Record] = [(START, {"at": START + i * SECOND, "k": "abc"[i % 3]}) for i in range(30)]


def lines_of(reports: Reports, run: DesiredRun) -> list[LogLine]:
    return [
        line
        for report in reports.all
        if isinstance(report, LogReport) and report.run_id == run.run_id
        for line in report.lines
    ]


def test_each_run_has_its_own_lines(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    bench.produce(topic, EVENTS)
    single = bench.topic("in")  # the client splits and repeats batches of several rows that are refused
    bench.produce(single, EVENTS[:1])
    narrow = "weir.results.narrow"
    bench.kafka.create_topic(narrow, 1, {"max.message.bytes": "10"})  # no row has room: the tasks fail
    fine = bench.run(COUNTS, {"s": (topic, CONTRACT)}, engine_id=engine.engine_id, workspace="first")
    broken = bench.run(
        COUNTS,
        {"s": (single, CONTRACT)},
        engine_id=engine.engine_id,
        workspace="second",
        result_topic=narrow,
    )
    results = bench.results(fine)
    bench.publish(fine)
    bench.publish(broken)
    failed = reports.state(broken, "failed", engine=engine)
    wait_until(lambda: results.read(), 120, "the other run goes on", engine.tail)

    def told() -> bool:
        reports.pump()
        return any(line.level == "error" and line.origin == "engine" for line in lines_of(reports, broken))

    wait_until(told, 30, "the failure is in the log", engine.tail)
    bench.publish(fine.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(fine, "stopped")
    wait_until(
        lambda: reports.pump() or any("stopped" in line.message for line in lines_of(reports, fine)),
        30,
        "the stop is in the log",
    )
    theirs, ours = lines_of(reports, broken), lines_of(reports, fine)
    for line in theirs + ours:
        print(line.origin, line.level, line.logger, line.message[:150], len(line.detail))
    spark = [line for line in theirs if line.origin == "spark"]
    assert any("RecordTooLarge" in line.detail for line in spark)
    assert {line.logger.rpartition(".")[2] for line in spark} >= {"Executor", "MicroBatchExecution"}
    assert failed.failure is not None
    assert failed.failure.code == "RESULT_TOO_LARGE"
    assert not [line for line in ours if line.origin == "spark" or line.level != "info"]
    states = [line.message for line in ours if line.message.startswith("state: ")]
    assert states[0] == "state: starting"
    assert states[-1] == "state: stopped"
    everything = "".join(line.message + line.detail for line in ours)
    assert broken.run_id not in everything
    assert narrow not in everything
    assert fine.run_id not in "".join(line.message + line.detail for line in theirs)
    check_file(engine, fine, broken)
    bench.publish(fine.run_id)
    bench.publish(broken.run_id)
    results.close()


def check_file(engine: EngineProcess, fine: DesiredRun, broken: DesiredRun) -> None:
    """The engine's own log is JSON, and its lines about runs say which."""
    events = []
    for text in engine.log.read_text(errors="replace").splitlines():
        if text.startswith("{"):
            events.append(json.loads(text))
    assert all({"time", "level", "logger", "message", "process"} <= set(event) for event in events)
    found = {(event.get("run"), event.get("workspace")) for event in events if event.get("run")}
    assert {(fine.run_id, "first"), (broken.run_id, "second")} <= found
