"""An engine process, started as by the platform, follows `weir.runs` and reports."""

import json
import socket
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient, NewPartitions

from jobs.connections import ClusterProfile
from jobs.engine.kafka_admins import REQUEST_TIMEOUT_S
from jobs.kafka_messages import (
    DesiredRun,
    HeartbeatReport,
    PositionsReport,
    ProgressReport,
    Report,
    RunMode,
    RunStateReport,
    StartPosition,
)
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.process_family import answers_of, suspended
from tests.support.processes import wait_until
from tests.support.spark_engine import PLANTED, Bench, EngineProcess, Record, Reports, Results

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]


def events(first: int, last: int) -> list[Record]:
    """One event a second: keys a, b, c in turn."""
    return [
        (time.time_ns() // 1000, {"at": START + i * SECOND, "k": "abc"[i % 3]}) for i in range(first, last)
    ]


def counts(last: int) -> dict[str, int]:
    """What the windows hold after events 0 … last − 1, by key and start."""
    found: dict[str, int] = {}
    for i in range(last):
        key = f"{'abc'[i % 3]} {i // 10}"
        found[key] = found.get(key, 0) + 1
    return found


def shown(content: dict[str, dict[str, Any]]) -> dict[str, int]:
    def window(row: dict[str, Any]) -> int:
        text = row["window_start"]
        return (int(text[14:16]) * 60 + int(text[17:19])) // 10

    return {f"{row['k']} {window(row)}": row["n"] for row in content.values()}


def desired(bench: Bench, topic: str, engine: EngineProcess, mode: RunMode, **more: Any) -> DesiredRun:
    return bench.run(COUNTS, {"s": (topic, CONTRACT)}, mode, engine_id=engine.engine_id, **more)


def await_counts(results: Results, last: int, engine: EngineProcess) -> None:
    wait_until(
        lambda: shown(results.read()) == counts(last),
        120,
        f"counts of {last} events",
        lambda: f"{shown(results.content)}\n{engine.tail()}",
    )


def await_total(results: Results, total: int, engine: EngineProcess) -> None:
    """Every event is counted once, over all windows."""
    wait_until(
        lambda: sum(row["n"] for row in results.read().values()) == total,
        120,
        f"{total} events are counted",
        lambda: f"{sum(row['n'] for row in results.content.values())}\n{engine.tail()}",
    )


@pytest.mark.parametrize("mode", ["realtime", pytest.param("microbatch", marks=pytest.mark.thorough)])
def test_start_stop_resume(bench: Bench, engine: EngineProcess, reports: Reports, mode: RunMode) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(
        bench, topic, engine, mode, mirror_group=f"weir.tests.{mode}", partial_before_us=START + 10 * SECOND
    )
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, [*events(0, 25), (START, b"{bad"), (START, None)])
    await_counts(results, 25, engine)
    reports.state(run, "running")

    def complete(report: Report) -> bool:
        return (
            isinstance(report, ProgressReport)
            and report.run_id == run.run_id
            and report.sources["s"][0].committed == 27
        )

    progress = reports.wait("the batch is committed", complete)
    assert isinstance(progress, ProgressReport)
    assert progress.sources["s"][0].end == 27
    own = [r for r in reports.all if isinstance(r, ProgressReport) and r.run_id == run.run_id]
    assert (sum(r.malformed.get("s", 0) for r in own), sum(r.rows_in for r in own)) == (2, 27)
    check_headers(results)
    check_mirror(bench, run, topic, 27)

    stopped = run.model_copy(update={"state": "stopped", "revision": 2})
    bench.publish(stopped)
    reports.state(run, "stopped")
    bench.produce(topic, events(25, 40))
    resumed = run.model_copy(update={"epoch": 2, "revision": 3, "replay_until": {"s": {0: 27}}})
    bench.publish(resumed)
    live = reports.state(resumed, "running", engine=engine)
    check_phases(live)
    await_counts(results, 40, engine)
    assert {seen.headers["epoch"] for seen in results.records} == {"1", "2"}
    reports.wait(
        "all is committed",
        lambda r: (
            isinstance(r, ProgressReport) and r.run_id == run.run_id and r.sources["s"][0].committed == 42
        ),
    )

    bench.publish(resumed.model_copy(update={"state": "stopped", "revision": 4}))
    reports.state(resumed, "stopped")
    quiet = run.model_copy(update={"epoch": 3, "revision": 5, "replay_until": {"s": {0: 42}}})
    bench.publish(quiet)
    # Without new records, no batch reports that everything was read.
    reports.state(quiet, "running", engine=engine)
    bench.publish(run.run_id)
    reports.state(quiet, "stopped")
    check_quiet(engine, run)
    reports.wait(
        "the run is forgotten",
        lambda r: isinstance(r, HeartbeatReport) and r.at_us > progress.at_us and run.run_id not in r.runs,
    )
    results.close()


def check_quiet(engine: EngineProcess, run: DesiredRun) -> None:
    """Three stops left no error in the engine's log, which somebody would look into."""
    found = [json.loads(line) for line in engine.log.read_text().splitlines() if line.startswith("{")]
    loud = [
        (each["logger"], each["message"])
        for each in found
        if each["level"] == "error"
        and ((each.get("query") or "").startswith(run.run_id) or each["logger"].endswith("ErrorNotifier"))
    ]
    assert not loud


def check_phases(live: RunStateReport) -> None:
    """The phases of a start were reached in order; the engine was ready before, and nobody said when the
    desired run was written.
    """
    phases = ("engine_ready", "received", "planned", "queries_started", "caught_up")
    assert set(live.phases_us) == set(phases)
    assert sorted(phases, key=lambda phase: live.phases_us[phase]) == list(phases)
    assert live.phases_us["caught_up"] <= live.at_us


def check_headers(results: Results) -> None:
    for seen in results.records:
        assert seen.headers["epoch"] == "1"
        assert abs(int(seen.headers["newest-input"]) - time.time_ns() // 1000) < 600 * SECOND
    partial = {seen.key for seen in results.records if seen.headers.get("partial") == "1"}
    assert partial == {seen.key for seen in results.records if "T10:00:00" in seen.key.split(",")[0]}


def check_mirror(bench: Bench, run: DesiredRun, topic: str, position: int) -> None:
    admin = AdminClient({"bootstrap.servers": bench.kafka.bootstrap})
    assert run.mirror_group is not None

    def mirrored() -> bool:
        asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(run.mirror_group)])
        partitions = asked[run.mirror_group].result(10).topic_partitions
        return [(partition.topic, partition.offset) for partition in partitions] == [(topic, position)]

    wait_until(mirrored, 60, f"group {run.mirror_group} stands at {position}")


@pytest.mark.thorough
def test_a_backlog_is_drained_in_micro_batches_before_real_time(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    first = 6_000
    bench.produce(topic, events(0, first))
    run = desired(bench, topic, engine, "realtime", catch_up_from=5_000)
    results = bench.results(run)
    bench.publish(run)
    await_total(results, first, engine)
    reports.wait(
        "the backlog is committed",
        lambda r: (
            isinstance(r, ProgressReport) and r.run_id == run.run_id and r.sources["s"][0].committed == first
        ),
    )
    bench.produce(topic, events(first, first + 10))
    await_total(results, first + 10, engine)
    reports.wait(
        "a batch in real-time mode is committed",
        lambda r: (
            isinstance(r, ProgressReport)
            and r.run_id == run.run_id
            and r.sources["s"][0].committed == first + 10
        ),
    )
    assert "6000 records are waiting" in engine.log.read_text()
    # And again from the last commit, after a time in which nobody read.
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")
    bench.produce(topic, events(first + 10, 3 * first))
    resumed = run.model_copy(
        update={
            "epoch": 2,
            "revision": 3,
            "replay_until": {"s": {0: first + 10}},
            "committed": {"s": {0: first + 10}},
        }
    )
    bench.publish(resumed)
    await_total(results, 3 * first, engine)
    states = [r.state for r in reports.all if isinstance(r, RunStateReport) and r.run_id == run.run_id]
    assert "11990 records are waiting" in engine.log.read_text()
    assert states.count("failed") == 0, states
    bench.publish(run.run_id)
    reports.state(resumed, "stopped")
    results.close()


@pytest.mark.thorough
def test_a_drain_that_finds_nothing_to_read_is_over(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """The platform was restored from a backup, and does not know what the run had committed."""
    reports.ready(engine)
    topic = bench.topic("in")
    many = 6_000
    bench.produce(topic, events(0, many))
    run = desired(bench, topic, engine, "realtime", catch_up_from=5_000)
    results = bench.results(run)
    bench.publish(run)
    await_total(results, many, engine)
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")
    again = run.model_copy(update={"epoch": 2, "revision": 3})
    assert again.committed == {}
    bench.publish(again)

    def is_at_end(report: Report) -> bool:
        return (
            isinstance(report, PositionsReport)
            and (report.run_id, report.epoch, report.draining) == (run.run_id, 2, False)
            and report.sources["s"][0].committed == many
        )

    reports.wait("it is in real-time mode", is_at_end, engine=engine)
    bench.produce(topic, events(many, many + 10))
    await_total(results, many + 10, engine)
    assert any(f'"{run.run_id}"' in line and '"0 records are waiting"' in line for line in lines_of(engine))
    bench.publish(run.run_id)
    reports.state(again, "stopped")
    results.close()


def lines_of(engine: EngineProcess) -> list[str]:
    return engine.log.read_text().splitlines()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_run_that_falls_behind_drains_in_micro_batches_and_returns_to_real_time(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime")
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, events(0, 10))
    await_total(results, 10, engine)
    # So many that real-time mode would not read them within ten seconds, and all at once: it keeps up with
    # what this process writes.
    piece, pieces = 50_000, 40
    with suspended(engine.pid):
        for number in range(pieces):
            value = json.dumps({"at": START + (10 + number) * SECOND, "k": "a"}).encode()
            bench.produce(topic, [(time.time_ns() // 1000, value)] * piece)

    def drains(report: Report, draining: bool, committed: int) -> bool:
        return (
            isinstance(report, PositionsReport)
            and report.run_id == run.run_id
            and report.draining is draining
            and (report.sources["s"][0].committed or 0) >= committed
        )

    many = 10 + piece * pieces
    reports.wait("the run drains", lambda r: drains(r, True, 0), engine=engine)
    reports.wait(
        "it is in real-time mode again", lambda r: drains(r, False, many), engine=engine, seconds=400
    )
    bench.produce(topic, [(time.time_ns() // 1000, {"at": START + 30 * SECOND, "k": "b"})])
    await_total(results, many + 1, engine)
    states = [r.state for r in reports.all if isinstance(r, RunStateReport) and r.run_id == run.run_id]
    assert states[0] == "starting"
    # On a busy host it may be queued before it runs at first. What was not committed when it fell behind is
    # read again, so results may run backwards.
    since = states[states.index("running") :]
    assert set(since) <= {"running", "replaying"}, "a change of the mode is no restart"
    assert states[-1] == "running"
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_run_whose_records_take_long_drains_before_many_are_waiting(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """Each record counts in 600 windows, so that these would take minutes in real-time mode."""
    reports.ready(engine)
    topic = bench.topic("in")
    window = {"hopping": {"size": "600s", "advance": "1s"}}
    document = {**COUNTS, "steps": {"n": {**COUNTS["steps"]["n"], "window": window}}}
    run = bench.run(document, {"s": (topic, CONTRACT)}, "realtime", engine_id=engine.engine_id)
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, events(0, 10))
    await_total(results, 10 * 600, engine)
    many = 20_000
    assert many < run.catch_up_from
    with suspended(engine.pid):
        bench.produce(topic, [(time.time_ns() // 1000, {"at": START + SECOND, "k": "a"})] * many)

    def drains(report: Report) -> bool:
        return isinstance(report, PositionsReport) and report.run_id == run.run_id and report.draining

    reports.wait("the run drains", drains, engine=engine, seconds=120)
    await_total(results, (10 + many) * 600, engine)
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()


@pytest.mark.thorough
def test_fetched_positions_run_ahead_of_committed_ones(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime", commit_interval_ms=60_000)
    bench.publish(run)
    bench.produce(topic, events(0, 10))

    def ahead(report: Report) -> bool:
        return (
            isinstance(report, PositionsReport)
            and report.run_id == run.run_id
            and report.sources["s"][0].fetched == 10
        )

    seen = reports.wait("ten records are fetched", ahead, engine=engine)
    assert isinstance(seen, PositionsReport)
    assert seen.sources["s"][0].committed is None
    bench.publish(run.run_id)
    reports.state(run, "stopped")


@pytest.mark.thorough
def test_partitions_that_a_topic_is_given_under_a_run_are_followed_like_the_others(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime", commit_interval_ms=10_000)
    bench.publish(run)
    bench.produce(topic, events(0, 10))
    reports.state(run, "running")
    add_partition(bench, topic)
    bench.produce(topic, events(10, 20), partition=1)

    def ahead(report: Report) -> bool:
        return (
            isinstance(report, PositionsReport)
            and report.run_id == run.run_id
            and 1 in report.sources["s"]
            and (report.sources["s"][1].fetched, report.sources["s"][1].end) == (10, 10)
            and not report.sources["s"][1].committed
        )

    reports.wait("the new partition is fetched before it is committed", ahead, engine=engine)
    bench.publish(run.run_id)
    reports.state(run, "stopped")


@pytest.mark.thorough
def test_a_run_begins_now_in_a_topic_that_was_given_partitions_since_it_was_started(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """Where it was queued, say: what its start doesn't name begins at the earliest record."""
    reports.ready(engine)
    topic = bench.topic("in")
    bench.produce(topic, events(0, 5))
    run = desired(bench, topic, engine, "microbatch", start=StartPosition(kind="offsets", offsets={0: 5}))
    add_partition(bench, topic)
    bench.produce(topic, events(10, 20), partition=1)
    results = bench.results(run)
    bench.publish(run)
    await_total(results, 10, engine)
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()


def add_partition(bench: Bench, topic: str) -> None:
    """Give a topic of one partition a second one."""
    admin = AdminClient({"bootstrap.servers": bench.kafka.bootstrap})
    admin.create_partitions([NewPartitions(topic, 2)])[topic].result(30)


def test_a_higher_epoch_fences(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime")
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, events(0, 5))
    await_counts(results, 5, engine)
    elsewhere = run.model_copy(update={"epoch": 2, "engine_id": "another"})
    bench.publish(elsewhere)
    reports.state(run, "stopped")
    bench.publish(run)  # the old epoch once more, as a platform that was restored would
    now = time.time_ns() // 1000
    reports.wait(
        "nothing runs",
        lambda r: isinstance(r, HeartbeatReport) and r.at_us > now + SECOND and run.run_id not in r.runs,
    )
    written = len(results.records)
    bench.produce(topic, events(5, 9))
    reports.wait(
        "still nothing",
        lambda r: isinstance(r, HeartbeatReport) and r.at_us > now + 5 * SECOND and run.run_id not in r.runs,
    )
    results.read()
    assert len(results.records) == written
    bench.publish(run.run_id)
    results.close()


@pytest.mark.long
def test_a_cluster_that_does_not_answer_delays_no_other(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """A broker that accepts connections and never answers.

    Requests to it time out, others run every second.
    """
    reports.ready(engine)
    topic = bench.topic("in")
    near, far = desired(bench, topic, engine, "realtime"), desired(bench, topic, engine, "microbatch")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        dead = ClusterProfile(cluster_id="dead", bootstrap=f"127.0.0.1:{silent.getsockname()[1]}")
        far = far.model_copy(update={"sources": {"s": far.sources["s"].model_copy(update={"cluster": dead})}})
        bench.publish(far)
        reports.state(far, "waiting", engine=engine)
        bench.publish(near)
        reports.state(near, "running", engine=engine)
        began, sent = time.time_ns() // 1000, 0
        while time.time_ns() // 1000 < began + 10 * SECOND:
            bench.produce(topic, events(sent, sent + 1))
            sent += 1
            reports.pump()
        bench.publish(far.run_id)
        bench.publish(near.run_id)
        reports.state(near, "stopped")
    said = [
        r.at_us
        for r in reports.all
        if isinstance(r, PositionsReport) and r.run_id == near.run_id and r.at_us >= began
    ]
    gaps = [after - before for before, after in pairwise([began, *said])]
    assert max(gaps) < REQUEST_TIMEOUT_S * SECOND, (
        gaps
    )  # it was 6 s and more when one thread asked one cluster after another


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["realtime", "microbatch"])
def test_what_a_kill_before_the_first_commit_leaves_is_in_nobodys_way(
    bench: Bench, engine: EngineProcess, reports: Reports, mode: RunMode
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, mode)
    for folder in ("offsets", "commits", "state/0/0"):
        left = Path(run.checkpoint) / folder
        left.mkdir(parents=True)
        (left / ".0.3f2a.tmp").write_text("cut o")
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, events(0, 5))
    await_counts(results, 5, engine)
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()


@pytest.mark.thorough
def test_another_topic_of_the_same_name_is_refused(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime")
    bench.publish(run)
    reports.state(run, "running", engine=engine)
    bench.kafka.delete_topic(topic)
    failed = reports.state(run, "failed", engine=engine)
    assert failed.failure is not None
    assert failed.failure.code == "TOPIC_NOT_FOUND"
    assert failed.failure.permanent
    bench.kafka.create_topic(topic)
    again = run.model_copy(update={"epoch": 2})
    bench.publish(again)
    recreated = reports.state(again, "failed", engine=engine)
    assert recreated.failure is not None
    assert recreated.failure.code == "TOPIC_RECREATED"
    bench.publish(run.run_id)


def test_a_killed_engine_loses_and_doubles_nothing(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    topic = bench.topic("in")
    run = desired(bench, topic, engine, "realtime", commit_interval_ms=4_000)
    results = bench.results(run)
    bench.publish(run)
    bench.produce(topic, events(0, 100))
    await_counts(results, 100, engine)
    bench.produce(topic, events(100, 130))
    wait_until(lambda: len(shown(results.read())) > len(counts(100)), 60, "the engine is in the middle of it")
    engine.kill()
    bench.produce(topic, events(130, 150))
    engine.begin()
    try:
        again = run.model_copy(update={"epoch": 2, "replay_until": {"s": {0: 130}}})
        bench.publish(again)
        reports.state(again, "replaying", 240, engine=engine)
        reports.state(again, "running", 120, engine=engine)
        await_counts(results, 150, engine)
        failures = [
            r
            for r in reports.all
            if isinstance(r, RunStateReport) and r.run_id == run.run_id and r.state == "failed"
        ]
        assert (
            failures == []
        )  # that an engine dies is no failure of its runs: whoever starts it anew would begin them twice
    finally:
        bench.publish(run.run_id)
        results.close()


def test_it_has_no_secret_of_the_process_that_started_it(engine: EngineProcess, reports: Reports) -> None:
    reports.ready(engine)
    variables = [
        one for one in answers_of(engine.pid, psutil.Process.environ) if one
    ]  # who has just ended has none
    assert len(variables) > 1  # the JVM and its Python
    for one in variables:
        assert "PATH" in one
        assert PLANTED not in str(one)
