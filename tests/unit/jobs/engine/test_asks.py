"""Asks are answered for as long as the engine lives, whatever its disk does meanwhile."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.asks import MAX_WAITING, UNASKED_S, Asks
from jobs.engine.play.warmup import warm_up_script
from jobs.job_tests.play_folder import PlayFolder, play_folder
from jobs.kafka_messages import Answer, CancelAsk, PlayAsk, PlayFolderAsk
from jobs.play import PlayProblem, PlayResult, PlayScript
from tests.support.desired_runs import engine_settings
from tests.support.processes import wait_until

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
JVM: Any = object()
SESSION: Any = SimpleNamespace(sparkContext=SimpleNamespace(setLocalProperty=lambda *_: None, _jvm=JVM))


def played(name: str) -> PlayScript:
    script = warm_up_script()
    job = script.job.model_copy(update={"document": {**script.job.document, "name": name}})
    return script.model_copy(update={"job": job})


def ask(run_id: str) -> PlayFolderAsk:
    return PlayFolderAsk(engine_id="tests", owner=run_id, expires_us=2**62, run_id=run_id)


def unwritable(data_dir: Path, run_id: str) -> None:
    """A folder that the system lets nobody write into, as on a full disk."""
    folder = play_folder(data_dir, run_id)
    folder.path.parent.mkdir(parents=True, exist_ok=True)
    folder.path.touch()


def made(data_dir: Path, run_id: str) -> PlayFolder:
    folder = play_folder(data_dir, run_id)
    folder.make()
    return folder


class Runs:
    """The number of runs that the engine has."""

    def __init__(self) -> None:
        self.number = self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        return self.number


@pytest.fixture
def runs() -> Runs:
    return Runs()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Answer]:
    """What is answered, in order."""
    sent: list[Answer] = []

    class Sender:
        def __init__(self, _: object) -> None:
            pass

        def produce(self, _: str, key: str, value: bytes) -> None:
            sent.append(Answer.model_validate_json(value))
            assert sent[-1].ask_id == key

        def poll(self, _: float) -> None:
            pass

        flush = poll

    monkeypatch.setattr("jobs.engine.asks.Producer", Sender)
    return sent


@pytest.fixture
def collections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The JVMs of which garbage was collected."""
    collected: list[object] = []
    monkeypatch.setattr("jobs.engine.asks.collect_garbage", collected.append)
    return collected


@pytest.fixture
def asks(tmp_path: Path, runs: Runs, answers: list[Answer], collections: list[object]) -> Iterator[Asks]:
    asks = Asks(engine_settings(HOME, tmp_path), cast(Any, SESSION), runs)
    asks.start()
    yield asks
    asks.stop()


def preview(owner: str, seconds_left: int = 3_600) -> PlayAsk:
    expires_us = time.time_ns() // 1_000 + seconds_left * 1_000_000
    return PlayAsk(
        ask_id=owner, engine_id="tests", owner=owner, expires_us=expires_us, script=warm_up_script()
    )


class WarmUps:
    """Plays of a warm-up; the first lasts until it is broken off."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began: list[float] = []
        self.names: list[str] = []
        monkeypatch.setattr("jobs.engine.asks.play", self._play)

    def _play(
        self,
        _: object,
        script: PlayScript,
        __: Path,
        ___: object = None,
        canceled: Callable[[], bool] = lambda: False,
        told: Callable[[PlayResult], None] = lambda _: None,
    ) -> PlayResult:
        self.began.append(time.monotonic())
        self.names.append(str(script.job.document["name"]))
        if len(self.began) == 1:
            wait_until(canceled, 60, "it is broken off")
            return PlayResult(problem=PlayProblem(code="CANCELED", message="It was."))
        result = PlayResult(batches=())
        told(result)
        return result


class Plays:
    """Plays that last until they are broken off, or end with a problem at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, problem: PlayProblem | None = None) -> None:
        self.seconds: list[float] = []
        self.folders: list[Path] = []
        self._problem = problem
        monkeypatch.setattr("jobs.engine.asks.play", self._play)

    def _play(
        self, _: object, script: PlayScript, folder: Path, __: object, canceled: Callable[[], bool], told: Any
    ) -> PlayResult:
        self.folders.append(folder)
        self.seconds.append(script.job.limits.seconds)
        if self._problem is None:
            wait_until(canceled, 60, "it is broken off")
        result = PlayResult(problem=self._problem or PlayProblem(code="CANCELED", message="It was."))
        told(result)
        return result


def test_an_engine_that_stops_says_so_to_all_who_wait(
    tmp_path: Path, asks: Asks, answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays, folder = Plays(monkeypatch), made(tmp_path, "folder")
    asks.take(preview("playing"))
    wait_until(lambda: bool(plays.seconds), 10, "it is played")
    asks.take(preview("waiting"))
    asks.take(ask("folder"))
    assert folder.is_accepted
    asks.stop()
    assert folder.is_declined
    told = {answer.ask_id: answer.result.problem for answer in answers}
    stops = PlayProblem(code="BUSY", message="The engine stops. Try again in a moment.")
    assert told == {"playing": stops, "waiting": stops}


def test_a_run_that_begins_elsewhere_breaks_the_warm_up_off(
    asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = WarmUps(monkeypatch)
    warming = threading.Thread(target=asks.warm_up, args=(lambda: False,), daemon=True)
    warming.start()
    wait_until(lambda: plays.names == ["warm-up"], 10, "the warm-up began")
    given_way = time.monotonic()
    asks.give_way()
    warming.join(60)
    assert plays.names[1:3] == ["warm-up", "warm-up-join"], "the one that was broken off is played again"
    assert plays.began[1] - given_way >= UNASKED_S


def test_an_ask_breaks_the_warm_up_off_which_goes_on_later(
    asks: Asks, answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = WarmUps(monkeypatch)
    warming = threading.Thread(target=asks.warm_up, args=(lambda: False,), daemon=True)
    warming.start()
    wait_until(lambda: plays.names == ["warm-up"], 10, "the warm-up began")
    asks.take(preview("me").model_copy(update={"script": played("asked")}))
    wait_until(lambda: bool(answers), 10, "the ask is answered before the warm-up goes on")
    assert plays.names == ["warm-up", "asked"]
    warming.join(60)
    assert plays.names[2:4] == ["warm-up", "warm-up-join"], "the one that was broken off is played again"
    assert plays.began[2] - plays.began[1] >= UNASKED_S


def test_a_warm_up_ends_when_the_engine_gets_runs(asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    plays, stops = WarmUps(monkeypatch), threading.Event()
    warming = threading.Thread(target=asks.warm_up, args=(stops.is_set,), daemon=True)
    warming.start()
    wait_until(lambda: bool(plays.names), 10, "the warm-up began")
    stops.set()
    warming.join(10)
    assert not warming.is_alive()
    assert plays.names == ["warm-up"]


def test_what_plays_leave_is_collected_once_nobody_asks(
    asks: Asks, answers: list[Answer], collections: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    Plays(monkeypatch, PlayProblem(code="DOCUMENT_INVALID", message="No."))
    asks.take(preview("first"))
    wait_until(lambda: collections == [JVM], 10, "it is collected after a play")
    asks.take(preview("second"))
    wait_until(lambda: collections == [JVM, JVM], 10, "it is collected after another")
    assert len(answers) == 2


def test_an_engine_with_runs_collects_nothing(
    asks: Asks, runs: Runs, answers: list[Answer], collections: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.number = 1
    Plays(monkeypatch, PlayProblem(code="DOCUMENT_INVALID", message="No."))
    asks.take(preview("first"))
    wait_until(lambda: runs.asked > 1, 10, "it is played, and would have been collected")
    asks.take(preview("second"))
    wait_until(lambda: len(answers) == 2, 10, "the next ask is answered")
    assert collections == []


def test_an_ask_that_comes_twice_is_played_once(
    asks: Asks, answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays, first, second = Plays(monkeypatch), preview("first"), preview("second")
    asks.take(first)
    wait_until(lambda: bool(plays.seconds), 10, "it is played")
    for again in (second, first, second):
        asks.take(again)
    assert answers == []
    asks.take(CancelAsk(engine_id="tests", owner="first"))
    wait_until(lambda: len(plays.seconds) == 2, 10, "the other is played")
    assert [answer.ask_id for answer in answers] == ["first"]


def test_an_engine_that_gets_a_run_breaks_off_the_test_that_it_plays(
    tmp_path: Path, asks: Asks, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The standby takes over jobs whose results wait; a process plays the test from its beginning."""
    began: list[bool] = []

    def lasts(*arguments: Any) -> bool:
        began.append(True)
        wait_until(arguments[-1], 60, "it is broken off")
        return False

    monkeypatch.setattr("jobs.engine.asks.play_next", lasts)
    folder = made(tmp_path, "folder")
    asks.take(ask("folder"))
    wait_until(lambda: bool(began), 10, "it is played")
    assert not folder.is_declined
    runs.number = 1
    wait_until(lambda: folder.is_declined, 10, "it is declined")


def test_a_folder_for_which_there_is_no_room_is_declined(
    tmp_path: Path, asks: Asks, answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays, folder = Plays(monkeypatch), made(tmp_path, "folder")
    asks.take(preview("playing"))
    wait_until(lambda: bool(plays.seconds), 10, "it is played")
    for number in range(MAX_WAITING):
        asks.take(preview(str(number)))
    asks.take(ask("folder"))
    assert folder.is_declined
    assert answers == []


def test_an_engine_whose_clock_is_ahead_says_so(tmp_path: Path, asks: Asks, answers: list[Answer]) -> None:
    """It would be silent, and whoever asked would wait for nothing."""
    asks.take(preview("me", -1))
    folder = made(tmp_path, "folder")
    asks.take(ask("folder").model_copy(update={"expires_us": 1}))
    wait_until(lambda: folder.is_declined, 10, "it is declined")
    (answer,) = answers
    assert answer.result.problem is not None
    assert "its clock is ahead" in answer.result.problem.message


@pytest.mark.parametrize(
    ("left_s", "runs_now", "limit", "told"),
    [(3_600, 0, 30.0, "TIMED_OUT"), (3_600, 1, 10.0, "TIMED_OUT"), (8, 1, 7, "BUSY")],
)
def test_a_play_ends_before_nobody_waits_any_more(
    tmp_path: Path,
    asks: Asks,
    runs: Runs,
    answers: list[Answer],
    monkeypatch: pytest.MonkeyPatch,
    left_s: int,
    runs_now: int,
    limit: float,
    told: str,
) -> None:
    runs.number, plays = runs_now, Plays(monkeypatch, PlayProblem(code="TIMED_OUT", message="It took long."))
    asked = preview("me", left_s)
    at_us = asked.expires_us - left_s * 1_000_000 + 1
    monkeypatch.setattr("jobs.engine.asks.now_us", lambda: at_us)
    asks.take(asked)
    wait_until(lambda: bool(answers), 10, "it is answered")
    assert plays.seconds == [limit]
    assert plays.folders[0].is_relative_to(tmp_path / "engines" / "tests" / "tmp"), (
        "all of it goes with a crash"
    )
    assert [answer.result.problem.code for answer in answers if answer.result.problem] == [told]


def test_a_folder_that_cannot_be_written_keeps_no_other_from_being_answered(
    tmp_path: Path, asks: Asks, runs: Runs
) -> None:
    unwritable(tmp_path, "full")
    asks.take(ask("full"))  # accepting it fails
    runs.number = 1
    asks.take(ask("full"))  # and so does declining it
    other = made(tmp_path, "other")
    asks.take(ask("other"))
    assert other.is_declined


def test_the_thread_that_plays_outlives_a_folder_that_it_cannot_decline(
    tmp_path: Path, asks: Asks, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Path] = []

    def full_disk(_: object, folder: PlayFolder, *__: object) -> bool:
        played.append(folder.path)
        folder.path.rename(folder.path.with_suffix(".gone"))
        folder.path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jobs.engine.asks.play_next", full_disk)
    for number in range(2):
        folder = made(tmp_path, str(number))
        asks.take(ask(str(number)))
        wait_until(lambda folder=folder: folder.path in played, 10, f"folder {number} is played")
