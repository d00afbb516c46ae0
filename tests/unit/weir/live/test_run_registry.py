import pytest

from jobs.messages import DesiredRun, Failure, HeartbeatReport, ProcessHandle, RunHeartbeat, RunStateReport
from weir.live.run_registry import RunRegistry, RunStatus

HANDLE = ProcessHandle(host="h", pid=1, started_ticks=1, boot_id="b")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def board(told: list[str]) -> RunRegistry:
    return RunRegistry(told.append)


def desired(epoch: int = 1, generation: int = 1, state: str = "running", **changed) -> DesiredRun:
    return DesiredRun.model_validate(
        {
            "run_id": f"j.{generation}", "job_id": "j", "job_name": "n", "workspace": "w", "engine_id": "e", "epoch": epoch, "revision": 1,
            "generation": generation, "state": state, "document": {}, "sources": {}, "mode": "realtime", "checkpoint": "c",
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


def test_a_run_is_known_by_what_is_desired_and_what_is_said(board: RunRegistry, told: list[str]) -> None:
    board.take_desired("j.1", desired())
    board.take_report(said("running"))
    view = board.of_job("j")
    assert view is not None
    assert (view.state, view.desired, view.heard_us, view.topic) == ("running", "running", 1_000, "t1")
    assert told == ["j", "j"]
    board.take_report(said("running", 2_000))
    assert told == ["j", "j"], "being heard again is no change"
    assert view.heard_us == 2_000


def test_silence_is_unknown_and_never_an_end(board: RunRegistry) -> None:
    board.take_desired("j.1", desired())
    board.take_report(said("running", 1_000_000))
    view = board.of_job("j")
    assert view is not None
    assert board.shown_state(view, 8_000_000) == "running"
    assert board.shown_state(view, 9_000_001) == "unknown"
    board.on_read(2_000_000)
    assert board.shown_state(view, 17_000_000) == "running", "what was sent since is not read yet"
    assert board.shown_state(view, 17_000_001) == "unknown", "nothing is read any more"
    board.on_read(9_000_001)
    assert board.shown_state(view, 9_000_001) == "unknown"
    board.take_report(said("failed", 2_000_000, failure=Failure(code="ENGINE_ERROR", message="m")))
    assert board.shown_state(view, 10**12) == "failed"


def test_an_old_epoch_says_nothing(board: RunRegistry) -> None:
    board.take_desired("j.1", desired(epoch=2))
    board.take_report(said("failed", epoch=1))
    board.take_desired("j.1", desired(epoch=1, state="stopped"))
    view = board.of_job("j")
    assert view is not None
    assert (view.state, view.desired, view.epoch) == ("starting", "running", 2)


def test_rows_are_held_from_the_moment_a_replaying_epoch_is_desired_until_it_runs(board: RunRegistry) -> None:
    board.take_desired("j.1", desired(epoch=2, replay_until={"s": {0: 5}}))
    view = board.of_job("j")
    assert view is not None
    held = [view.holding]
    for at, state in enumerate(("starting", "waiting", "replaying", "running")):
        board.take_report(said(state, 1_000 + at, epoch=2))
        held.append(view.holding)
    assert held == [True, True, True, True, False]


def test_heartbeats_tell_states_as_well(board: RunRegistry) -> None:
    board.take_desired("j.1", desired())
    beat = HeartbeatReport(
        at_us=5, engine_id="e", incarnation="i", ready=True, handle=HANDLE,
        runs={"j.1": RunHeartbeat(epoch=1, revision=1, state="replaying"), "other": RunHeartbeat(epoch=1, revision=1, state="running")},
        slots=1, slots_used=1, memory_bytes=1,
    )  # fmt: skip
    board.take_report(beat)
    view = board.of_job("j")
    assert view is not None
    assert (view.state, view.holding) == ("replaying", True)
    assert "other" not in board.runs


def test_the_newest_generation_is_the_jobs(board: RunRegistry) -> None:
    board.take_desired("j.2", desired(generation=2))
    board.take_desired("j.1", desired(generation=1))
    view = board.of_job("j")
    assert view is not None
    assert view.generation == 2
    board.take_desired("j.2", None)
    board.take_desired("j.1", None)
    assert board.of_job("j") is None


def test_the_database_does_not_overrule_what_was_heard_since(board: RunRegistry) -> None:
    board.take_desired("j.1", desired())
    board.take_report(said("running", 2_000))
    board.learn(RunStatus("j.1", "j", 1, "t1", 1, "running", "starting", heard_us=1_000))
    view = board.of_job("j")
    assert view is not None
    assert view.state == "running"
    board.learn(RunStatus("j.1", "j", 1, "t1", 2, "running", "starting"))
    view = board.of_job("j")
    assert view is not None
    assert (view.state, view.epoch) == ("starting", 2)
