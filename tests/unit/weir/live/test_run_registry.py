import time
from typing import Any

import pytest

from jobs.kafka_messages import (
    DesiredRun,
    Failure,
    HeartbeatReport,
    ProcessHandle,
    RunHeartbeat,
    RunStateReport,
)
from weir.live.run_registry import RunRegistry, RunStatus

HANDLE = ProcessHandle(host="h", pid=1, started_ticks=1, boot_id="b")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def registry(told: list[str]) -> RunRegistry:
    return RunRegistry(told.append)


def desired(epoch: int = 1, generation: int = 1, state: str = "running", **changed) -> DesiredRun:
    return DesiredRun.model_validate(
        {
            "run_id": f"j.{generation}", "job_id": "j", "job_name": "n", "workspace": "w", "engine_id": "e",
            "epoch": epoch, "revision": 1,
            "generation": generation, "state": state, "document": {}, "sources": {}, "mode": "realtime",
            "checkpoint": "c",
            "shuffle_partitions": 1, "result_topic": f"t{generation}", **changed,
        }
    )  # fmt: skip


def said(state: str, at_us: int = 1_000, epoch: int = 1, failure: Failure | None = None) -> RunStateReport:
    return RunStateReport.model_validate(
        {
            "at_us": at_us,
            "engine_id": "e",
            "incarnation": "i",
            "run_id": "j.1",
            "epoch": epoch,
            "revision": 1,
            "state": state,
            "failure": failure,
        }
    )


def test_a_run_is_known_by_what_is_desired_and_what_is_said(registry: RunRegistry, told: list[str]) -> None:
    registry.apply_desired("j.1", desired())
    registry.apply_report(said("running"))
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.desired, view.seen_us, view.topic) == ("running", "running", 1_000, "t1")
    assert told == ["j", "j"]
    registry.apply_report(said("running", 2_000))
    assert told == ["j", "j"], "being heard again is no change"
    assert view.seen_us == 2_000


def test_silence_is_unknown_and_never_an_end(registry: RunRegistry) -> None:
    registry.apply_desired("j.1", desired())
    registry.apply_report(said("running", 1_000_000))
    view = registry.of_job("j")
    assert view is not None
    assert registry.shown_state(view, 8_000_000) == "running"
    assert registry.shown_state(view, 9_000_001) == "unknown"
    registry.on_read(2_000_000)
    assert registry.shown_state(view, 17_000_000) == "running", "what was sent since is not read yet"
    assert registry.shown_state(view, 17_000_001) == "unknown", "nothing is read any more"
    registry.on_read(9_000_001)
    assert registry.shown_state(view, 9_000_001) == "unknown"
    registry.apply_report(said("failed", 2_000_000, failure=Failure(code="ENGINE_ERROR", message="m")))
    assert registry.shown_state(view, 10**12) == "failed"


def test_an_old_epoch_says_nothing(registry: RunRegistry) -> None:
    registry.apply_desired("j.1", desired(epoch=2))
    registry.apply_report(said("failed", epoch=1))
    registry.apply_desired("j.1", desired(epoch=1, state="stopped"))
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.desired, view.epoch) == ("starting", "running", 2)


def test_rows_are_held_from_the_moment_a_replaying_epoch_is_desired_until_it_runs(
    registry: RunRegistry,
) -> None:
    registry.apply_desired("j.1", desired(epoch=2, replay_until={"s": {0: 5}}))
    view = registry.of_job("j")
    assert view is not None
    held = [view.buffering]
    for at, state in enumerate(("starting", "waiting", "replaying", "running")):
        registry.apply_report(said(state, 1_000 + at, epoch=2))
        held.append(view.buffering)
    assert held == [True, True, True, True, False]


def test_heartbeats_tell_states_as_well(registry: RunRegistry) -> None:
    registry.apply_desired("j.1", desired())
    beat = HeartbeatReport(
        at_us=5, engine_id="e", incarnation="i", ready=True, handle=HANDLE,
        runs={"j.1": RunHeartbeat(epoch=1, revision=1, state="replaying"),
            "other": RunHeartbeat(epoch=1, revision=1, state="running")},
        slots=1, slots_used=1, memory_bytes=1,
    )  # fmt: skip
    registry.apply_report(beat)
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.buffering) == ("replaying", True)
    assert "other" not in registry.runs


def test_the_newest_generation_is_the_jobs(registry: RunRegistry) -> None:
    registry.apply_desired("j.2", desired(generation=2))
    registry.apply_desired("j.1", desired(generation=1))
    view = registry.of_job("j")
    assert view is not None
    assert view.generation == 2
    registry.apply_desired("j.2", None)
    registry.apply_desired("j.1", None)
    assert registry.of_job("j") is None


def test_the_database_does_not_overrule_what_was_heard_since(registry: RunRegistry) -> None:
    registry.apply_desired("j.1", desired())
    registry.apply_report(said("running", 2_000))
    registry.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "starting", seen_us=1_000))
    view = registry.of_job("j")
    assert view is not None
    assert view.state == "running"
    registry.learn(RunStatus("j.1", "j", 1, "t1", 2, "running", "starting"))
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.epoch) == ("starting", 2)


def test_a_job_is_found_among_those_of_others_without_looking_at_theirs(registry: RunRegistry) -> None:
    """Every start that ever was is a run, of all workspaces, and each reader asks every second."""
    for job in range(100):
        for number in (2, 1):
            view = RunStatus(f"j{job}.{number}", f"j{job}", number, f"t{job}", 1, "running")
            registry.learn(view)
    registry.runs = Counting(registry.runs)
    found = registry.of_job("j7")
    assert found is not None
    assert (found.run_id, registry.runs.asked) == ("j7.2", 2)
    registry.apply_desired("j7.2", None)
    assert registry.of_job("j7") is registry.runs["j7.1"]
    registry.apply_desired("j7.1", None)
    assert registry.of_job("j7") is None


class Counting(dict[str, RunStatus]):
    """Counts how many values are asked for."""

    asked = 0

    def __getitem__(self, key: str) -> RunStatus:
        self.asked += 1
        return super().__getitem__(key)

    def values(self) -> Any:
        self.asked += len(self)
        return super().values()


FAILURE = Failure(code="ENGINE_ERROR", message="m")


def test_an_engine_that_starts_later_does_not_call_a_failed_run_stopped(registry: RunRegistry) -> None:
    registry.apply_desired("j.1", desired())
    registry.apply_report(said("failed", failure=FAILURE))
    registry.apply_report(said("stopped", 2_000))
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.failure) == ("failed", FAILURE.model_dump(mode="json"))
    registry.apply_report(said("running", 3_000, epoch=2))
    assert (view.state, view.failure) == ("running", None)


@pytest.mark.parametrize("seen_us", [None, 1_000])
def test_an_end_that_the_platform_concluded_is_known(
    registry: RunRegistry, told: list[str], seen_us: int | None
) -> None:
    """An engine that dies, or never comes up, reports nothing any more."""
    failure = FAILURE.model_dump(mode="json")
    registry.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "starting"))
    if seen_us is not None:
        registry.apply_report(said("running", seen_us))
    told.clear()
    registry.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "failed", failure, seen_us=seen_us))
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.failure, view.seen_us, told) == ("failed", failure, seen_us, ["j"])


def test_a_job_that_waits_for_its_old_epoch_to_stop_is_still_wanted(registry: RunRegistry) -> None:
    """Its engine is told to stop; nobody has stopped the job."""
    registry.apply_desired("j.1", desired(desired="running"))
    registry.apply_desired("j.1", desired(state="stopped", desired="running", revision=2))
    view = registry.of_job("j")
    assert view is not None
    assert view.desired == "running"
    registry.apply_desired("j.1", desired(state="stopped", desired="stopped", revision=3))
    assert view.desired == "stopped"
    registry.apply_desired("j.1", desired(revision=4))  # of an older version of Weir
    assert view.desired == "running"


@pytest.mark.parametrize("epoch", [1, 2], ids=["known", "new"])
def test_a_run_that_is_queued_for_an_engine_does_not_become_unknown(
    registry: RunRegistry, epoch: int
) -> None:
    registry.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "queued", seen_us=1, placed=False))
    registry.apply_desired("j.1", desired(epoch=epoch, engine_id=""))
    view = registry.of_job("j")
    assert view is not None
    view.state = "queued"
    assert registry.shown_state(view, 3_600_000_000) == "queued"
    registry.apply_desired("j.1", desired(epoch=epoch, revision=2))
    assert registry.shown_state(view, 3_600_000_000) == "unknown"


def test_after_the_clock_was_set_back_reports_are_heard_again(registry: RunRegistry) -> None:
    """Else nothing would be newer than what was heard before, for as long as it was set back."""
    now_us = time.time_ns() // 1_000
    ahead_us = now_us + 3_600_000_000
    registry.apply_desired("j.1", desired())
    registry.apply_report(said("running", ahead_us))
    registry.on_read(ahead_us)
    registry.apply_report(said("waiting", now_us))
    registry.on_read(now_us)
    view = registry.of_job("j")
    assert view is not None
    assert (view.state, view.seen_us, registry.read_until_us) == ("waiting", now_us, now_us)
    registry.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "stopped", seen_us=ahead_us))
    assert (registry.of_job("j") or view).seen_us == now_us
