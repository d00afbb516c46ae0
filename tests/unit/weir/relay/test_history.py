"""What of a run's reports stands in its history."""

import threading
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from jobs.connections import ClusterProfile
from jobs.kafka_messages import CopyReport, PartitionProgress, ProgressReport, SourceRead
from tests.support.measured_jobs import started_job
from tests.support.processes import wait_until
from tests.support.run_factories import DOCUMENT, job_of, now_us, running, started_anew
from tests.support.users import client_of
from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services import history
from weir.relay.history import HistoryRecorder
from weir.relay.result_topics import followed_topics
from weir.runs.models import Generation, Run
from weir.workspaces.models import User, Workspace

S = 1_000_000
T0 = 1_800_000_000 * S

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def batch(run: Run, number: int, malformed: int) -> ProgressReport:
    return ProgressReport(
        at_us=now_us(), engine_id="e", incarnation="i", run_id=run.pk, epoch=run.epoch, batch=number,
        began_us=now_us(), duration_ms=5,
        rows_in=9, rows_out=1, sources={"trades": {0: PartitionProgress(committed=9 * number,
            end=9 * number)}},
        malformed={"trades": malformed},
    )  # fmt: skip


def points() -> list[LagPoint]:
    return list(LagPoint.objects.using("results").order_by("at_us"))


def test_what_was_counted_before_the_first_point_is_in_it(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 1, malformed=3), batch(run, 2, malformed=2)])
    recorder.store(T0, {}, {})
    recorder.store(T0 + 2 * S, {}, {})
    recorder.store(T0 + 10 * S, {}, {})
    recorder.apply([batch(run, 3, malformed=4)])
    recorder.store(T0 + 12 * S, {}, {})
    assert [(point.at_us - T0, point.malformed) for point in points()] == [(0, 5), (10 * S, 4)]


def test_a_report_that_kafka_gives_twice_is_counted_once(workspace: Workspace, owner: User) -> None:
    """Also by the next relay, which reads the last ones again."""
    run = running(job_of(workspace, owner))
    told = [batch(run, 1, malformed=3), batch(run, 2, malformed=2)]
    for at_us in (T0, T0 + 10 * S):
        recorder = HistoryRecorder()
        recorder.follow_runs()
        recorder.apply([*told, *told])
        recorder.store(at_us, {}, {})
        counts = history.stored_counts(run.generation.job_id, run.pk)
        assert (counts.batches, counts.rows_in) == (2, 18)
    assert [point.malformed for point in points()] == [5, 0]


def test_a_relay_that_starts_goes_on_with_the_point_of_the_present(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(job_of(workspace, owner))
    monkeypatch.setattr("weir.relay.history.time.time_ns", lambda: (T0 + 4 * S) * 1_000)
    for at, number, malformed, size in ((0, 1, 7, 900), (4, 2, 2, 100)):
        recorder = HistoryRecorder()
        recorder.follow_runs()
        recorder.apply([batch(run, number, malformed).model_copy(update={"state_bytes": size})])
        recorder.store(T0 + at * S, {}, {})
    (point,) = points()
    assert (point.malformed, point.state_bytes_min, point.state_bytes_max) == (9, 100, 900)


def test_a_run_whose_sources_cannot_be_read_keeps_no_other_from_being_measured(
    workspace: Workspace, owner: User
) -> None:
    """An older version of Weir has saved them."""
    old, sound = (
        running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}")))
        for name in ("old", "sound")
    )
    Generation.objects.filter(pk=old.generation_id).update(sources={"trades": {"topic": "trades"}})
    recorder = HistoryRecorder()
    for _ in range(2):
        recorder.follow_runs()
    assert recorder.tracker.runs.keys() == {sound.pk}


def test_runs_that_are_told_nothing_new_cost_neither_their_contracts_nor_a_write(
    workspace: Workspace, owner: User
) -> None:
    """As most jobs of a workspace are."""
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 1, 0)])
    for second in range(3):
        recorder.store(T0 + second * 600 * S, {}, {})
    with CaptureQueriesContext(connection) as asked:
        recorder.follow_runs()
        followed_topics()
        recorder.store(T0 + 1_800 * S, {}, {})
    assert [query["sql"] for query in asked if "sources" in query["sql"] or "UPDATE" in query["sql"]] == []
    Run.objects.filter(pk=run.pk).update(epoch=2, rows_per_second=7.0)
    recorder.follow_runs()
    recorder.store(T0 + 1_800 * S, {}, {})
    run.refresh_from_db()
    assert run.rows_per_second is None, "a new epoch's figures are written, though they are those of the last"


def test_a_point_has_the_mean_and_both_extremes_of_its_ten_seconds(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    for number, size in enumerate((100, 900, 200, 50)):
        recorder.apply([batch(run, number + 1, 0).model_copy(update={"state_bytes": size})])
        recorder.store(T0 + 2 * number * S, {}, {run.pk: 1_000 * number})
    (point,) = points()
    assert (point.state_bytes, point.state_bytes_min, point.state_bytes_max) == (312.5, 50, 900)
    assert (point.freshness_seconds, point.freshness_seconds_max) == (1.5, 3)
    assert point.latency_ms is None  # no result was written


def test_a_run_that_is_not_live_says_nothing_of_state_and_rates(workspace: Workspace, owner: User) -> None:
    run = started_job(workspace, owner)
    run.generation.sources["trades"]["cluster"] = {"cluster_id": "home", "bootstrap": "127.0.0.1:9"}
    run.generation.save()
    recorder = HistoryRecorder()
    recorder.follow_runs()
    told = {"at_us": T0, "state_bytes": 5, "watermark_us": T0 - 60 * S}
    recorder.apply([batch(run, 1, 0).model_copy(update=told)])
    recorder.store(T0, {}, {})
    Run.objects.filter(pk=run.pk).update(observed="stopped")
    recorder.follow_runs()
    recorder.store(T0 + 10 * S, {}, {})
    live, stopped = points()
    assert (live.state_bytes, live.watermark_delay_seconds) == (5, 60)
    assert (stopped.state_bytes, stopped.watermark_delay_seconds) == (None, None)
    assert (stopped.rows_in_per_second, stopped.rows_out_per_second) == (None, None)
    assert stopped.lag_records == 0  # how far it is behind is still measured


def test_a_run_that_is_not_live_is_measured_for_each_point_alone(workspace: Workspace, owner: User) -> None:
    """Five hundred stopped jobs took a tenth of a second from results every two."""
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 1, 0)])

    def measured() -> list[int]:
        found = []
        for second in range(0, 22, 2):
            recorder.store(T0 + second * S, {}, {})
            at_us = CurrentLag.objects.using("results").get().at_us
            found += [second] if at_us == T0 + second * S else []
        return found

    assert measured() == list(range(0, 22, 2))
    Run.objects.filter(pk=run.pk).update(observed="stopped")
    recorder.follow_runs()
    assert measured() == [0, 10, 20]
    Run.objects.filter(pk=run.pk).update(observed="running")
    recorder.follow_runs()
    assert measured() == list(range(0, 22, 2))


def test_after_a_restart_of_the_relay_a_stopped_run_is_still_measured(
    workspace: Workspace, owner: User
) -> None:
    run = started_job(workspace, owner)
    positions = {"trades": {"0": {"committed": 20, "fetched": 30, "end": 30}, "1": {"committed": 7}}}
    Run.objects.filter(pk=run.pk).update(observed="stopped", positions=positions)
    recorder = HistoryRecorder()
    recorder.follow_runs()
    for partition, end in ((0, 90), (1, 7)):
        recorder.tracker.observe_end(("home", "trades"), partition, T0, end)
    recorder.store(T0, {}, {})
    (point,) = points()
    assert (point.lag_records, point.lag_seconds) == (60, None)  # since when is forgotten
    run.refresh_from_db()
    assert (run.lag_records, run.lag_seconds) == (60, None)
    (lag,) = CurrentLag.objects.using("results").all()
    assert lag.payload["sources"]["trades"]["records"] == 60


def test_a_point_that_is_written_after_its_job_was_deleted_does_not_stay(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 1, malformed=0)])
    job_id = run.generation.job_id
    run.generation.job.delete()
    history.delete_lag(job_id)
    recorder.store(now_us(), {}, {})
    assert LagPoint.objects.using("results").filter(job_id=job_id).exists()
    recorder.follow_runs()
    assert not LagPoint.objects.using("results").filter(job_id=job_id).exists()
    assert not CurrentLag.objects.using("results").filter(job_id=job_id).exists()


def test_of_a_job_that_was_started_anew_only_the_new_run_is_measured(
    workspace: Workspace, owner: User
) -> None:
    first = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(first, 1, malformed=3)])
    recorder.store(T0, {}, {})
    second = started_anew(first)
    recorder.follow_runs()
    recorder.store(T0 + 10 * S, {}, {})
    assert len(points()) == 1  # the new one has said nothing yet, and the old one is over
    recorder.apply([batch(second, 1, malformed=1)])
    recorder.store(T0 + 20 * S, {}, {})
    assert [(point.at_us - T0, point.malformed) for point in points()] == [(0, 3), (20 * S, 1)]
    (lag,) = CurrentLag.objects.using("results").all()
    assert lag.payload["run_id"] == second.pk


def skips(run: Run, records: int, malformed: int) -> ProgressReport:
    read = {"trades": SourceRead(records=records, malformed={"KEY_INVALID": malformed} if malformed else {})}
    return batch(run, 1, malformed).model_copy(update={"read": read, "at_us": now_us()})


def said(run: Run) -> list[tuple[str, str, int, int]]:
    run.refresh_from_db()
    return [(one["source"], one["reason"], one["malformed"], one["records"]) for one in run.skipping]


def reads(run: Run, *names: str) -> None:
    """These are the sources of the run from its next epoch on."""
    source = {"cluster": {"cluster_id": "unreadable"}, "topic": "trades", "stream": "trades"}
    Generation.objects.filter(pk=run.generation_id).update(sources=dict.fromkeys(names, source))
    Run.objects.filter(pk=run.pk).update(epoch=F("epoch") + 1)


def test_a_run_that_skips_a_source_says_so(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([skips(run, 30, 30)])
    recorder.store(now_us(), {}, {})
    assert said(run) == [("trades", "KEY_INVALID", 30, 30)]
    recorder.apply([skips(run, 10_000, 0)])
    recorder.store(now_us(), {}, {})
    assert said(run) == []


def test_a_copied_table_says_so_too_and_is_counted_anew_with_each_copy(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    whose = {"engine_id": "e", "incarnation": "i", "run_id": run.pk, "epoch": run.epoch}
    recorder.apply([batch(run, 1, 0)])
    for number in (1, 2):
        read = {"trades": SourceRead(records=5, malformed={"KEY_INVALID": 5})}
        recorder.apply([CopyReport(at_us=now_us() + number, read=read, **whose)])
        recorder.store(now_us(), {}, {})
        assert said(run) == [("trades", "KEY_INVALID", 5, 5)]
    recorder.apply([CopyReport(at_us=now_us() + 3, read={"trades": SourceRead(records=5)}, **whose)])
    recorder.store(now_us(), {}, {})
    assert said(run) == []


def test_a_relay_that_begins_again_does_not_take_back_what_was_said(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner))
    reads(run, "trades")
    run.refresh_from_db()
    before = HistoryRecorder()
    before.follow_runs()
    before.apply([skips(run, 30, 30)])
    before.store(now_us(), {}, {})
    run.refresh_from_db()
    since = run.skipping[0]["since"]
    after = HistoryRecorder()
    after.follow_runs()
    after.apply([batch(run, 2, 0)])
    after.store(now_us(), {}, {})
    assert said(run) == [("trades", "KEY_INVALID", 30, 30)]
    after.apply([skips(run, 1, 0)])
    after.store(now_us(), {}, {})
    assert said(run) == [("trades", "KEY_INVALID", 30, 31)], "one good record does not take it back"
    after.apply([skips(run, 40, 40)])
    after.store(now_us(), {}, {})
    assert said(run) == [("trades", "KEY_INVALID", 70, 71)]
    assert run.skipping[0]["since"] == since


@pytest.mark.parametrize("relay_begins_again", [False, True])
def test_of_a_source_that_is_not_read_any_more_nothing_is_said(
    workspace: Workspace, owner: User, relay_begins_again: bool
) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([skips(run, 30, 30)])
    recorder.store(now_us(), {}, {})
    assert said(run) != []
    reads(run, "renamed")
    run.refresh_from_db()
    if relay_begins_again:
        recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 2, 0)])
    recorder.store(now_us(), {}, {})
    assert said(run) == []


def test_what_a_run_counted_goes_on_with_another_relay(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    for _ in range(2):
        recorder = HistoryRecorder()
        recorder.follow_runs()
        recorder.apply([skips(run, 100, 3)])
        recorder.store(now_us(), {}, {})
    counts = client_of(owner).get(f"/api/v1/workspaces/ops/jobs/{job.id}/lag").json()["counts"]
    assert (counts["batches"], counts["rows_in"], counts["rows_out"]) == (2, 18, 2)
    assert counts["sources"]["trades"] == {
        "records": 200,
        "malformed": 6,
        "reasons": [{"reason": "KEY_INVALID", "records": 6, "example": None}],
    }


def test_counts_that_could_not_be_read_when_a_run_was_new_are_read_again(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(job_of(workspace, owner))
    before = HistoryRecorder()
    before.follow_runs()
    before.apply([skips(run, 100, 3)])
    before.store(now_us(), {}, {})
    after = HistoryRecorder()
    with monkeypatch.context() as away:
        away.setattr(history, "stored_counts", Mock(side_effect=OperationalError("away")))
        with pytest.raises(OperationalError):
            after.follow_runs()
    after.follow_runs()
    assert after.tracker.runs[run.pk].counts.rows_in == before.tracker.runs[run.pk].counts.rows_in > 0


def test_lists_are_told_of_lag_although_history_cannot_be_stored(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in another database, which may be full."""
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([skips(run, 30, 30)])
    monkeypatch.setattr(history, "record", Mock(side_effect=OperationalError("full")))
    with pytest.raises(OperationalError):
        recorder.store(now_us(), {}, {})
    assert said(run) == [("trades", "KEY_INVALID", 30, 30)]


def test_rows_out_are_those_of_all_outputs(workspace: Workspace, owner: User) -> None:
    """As on the graph: not of the live result alone, of which the relay reads what it can."""
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    at_us = now_us()
    report = batch(run, 1, 0).model_copy(
        update={"at_us": at_us, "began_us": at_us - 10 * S, "duration_ms": 10_000, "rows_out": 1_000}
    )
    recorder.apply([report])
    recorder.store(at_us, {}, {})
    recorder.store(at_us + S, {}, {})
    assert points()[-1].rows_out_per_second == 100


def test_a_new_generation_counts_from_nothing(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    before = HistoryRecorder()
    before.follow_runs()
    before.apply([skips(run, 100, 3)])
    before.store(now_us(), {}, {})
    assert history.stored_counts(run.generation.job_id, run.pk).rows_in == 9
    assert history.stored_counts(run.generation.job_id, "another.2").batches == 0


def test_a_partition_that_is_first_heard_of_has_not_just_been_read(workspace: Workspace, owner: User) -> None:
    """Reports name the partitions that moved, so after the relay began anew a quiet one comes late."""
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    recorder.apply([batch(run, 1, 0)])
    recorder.store(T0, {}, {})
    quiet = {1: PartitionProgress(committed=8_000_000, end=8_000_000)}
    both = {"trades": {0: PartitionProgress(committed=19, end=19), **quiet}}
    recorder.apply([batch(run, 2, 0).model_copy(update={"sources": both})])
    recorder.store(T0 + 10 * S, {}, {})
    recorder.apply([batch(run, 3, 0).model_copy(update={"sources": {"trades": quiet}})])
    recorder.store(T0 + 20 * S, {}, {})
    assert [point.rows_in_per_second for point in points()] == [None, 1, 0]


def test_the_rate_of_a_run_is_over_the_clock(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    recorder = HistoryRecorder()
    recorder.follow_runs()
    now = now_us()
    for number, seconds_ago in ((1, 10), (2, 0)):
        recorder.apply([batch(run, number, 0).model_copy(update={"at_us": now - seconds_ago * 1_000_000})])
    recorder.store(now, {}, {})
    run.refresh_from_db()
    assert run.rows_per_second == 0.9  # nine records in ten seconds; the batch itself took 5 ms


def test_a_cluster_that_hangs_keeps_the_ends_of_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, answered, asked = HistoryRecorder(), threading.Event(), list[str]()

    def end_offsets(profile: ClusterProfile, partitions: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        asked.append(profile.cluster_id)
        if profile.cluster_id == "slow":
            answered.wait(60)
        return dict.fromkeys(partitions, 7)

    def seen(cluster_id: str) -> bool:
        return (cluster_id, "t", 0) in recorder.tracker.ends

    monkeypatch.setattr("weir.relay.history.end_offsets", end_offsets)
    stale = {("slow", "t", 0), ("fine", "t", 0)}
    monkeypatch.setattr(recorder.tracker, "stale_partitions", lambda *_: stale)
    recorder._profiles = {name: ClusterProfile(cluster_id=name, bootstrap="b:1") for name in ("slow", "fine")}
    try:
        recorder.refresh_end_offsets(T0)
        wait_until(lambda: recorder.refresh_end_offsets(T0) or seen("fine"), 20, "its ends")
        assert not seen("slow")
        assert asked.count("slow") == 1, "it is not asked again while it is asked"
    finally:
        answered.set()
    wait_until(lambda: recorder.refresh_end_offsets(T0) or seen("slow"), 20, "its ends")


def test_an_error_that_nobody_thought_of_keeps_the_ends_of_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = HistoryRecorder()

    def end_offsets(profile: ClusterProfile, partitions: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        if profile.cluster_id == "odd":
            raise UnicodeError("label empty or too long")
        return dict.fromkeys(partitions, 7)

    monkeypatch.setattr("weir.relay.history.end_offsets", end_offsets)
    stale = {("odd", "t", 0), ("fine", "t", 0)}
    monkeypatch.setattr(recorder.tracker, "stale_partitions", lambda *_: stale)
    recorder._profiles = {name: ClusterProfile(cluster_id=name, bootstrap="b:1") for name in ("odd", "fine")}
    wait_until(
        lambda: recorder.refresh_end_offsets(T0) or ("fine", "t", 0) in recorder.tracker.ends, 20, "its ends"
    )
    assert ("odd", "t", 0) not in recorder.tracker.ends
    assert "ends of cluster odd" in caplog.text


def test_a_connection_that_cannot_be_read_costs_its_job_alone(workspace: Workspace, owner: User) -> None:
    run = started_job(workspace, owner)
    run.generation.sources["trades"]["cluster"] = {"cluster_id": "far", "bootstrap": "no address"}
    run.generation.save()
    recorder = HistoryRecorder()
    recorder.follow_runs()
    assert run.pk in recorder.tracker.runs
    recorder.refresh_end_offsets(T0)
    assert recorder._fetches == {}
