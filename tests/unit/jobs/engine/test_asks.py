"""Asks are answered for as long as the engine lives, whatever its disk does meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.asks import Asks
from jobs.job_tests.play_folder import PlayFolder, play_folder
from jobs.kafka_messages import PlayFolderAsk
from tests.support.desired_runs import engine_settings
from tests.support.processes import wait_until

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
SESSION: Any = SimpleNamespace(sparkContext=SimpleNamespace(setLocalProperty=lambda *_: None))


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
        self.number = 0

    def __call__(self) -> int:
        return self.number


@pytest.fixture
def runs() -> Runs:
    return Runs()


@pytest.fixture
def asks(tmp_path: Path, runs: Runs) -> Iterator[Asks]:
    asks = Asks(engine_settings(HOME, tmp_path), cast(Any, SESSION), runs)
    asks.start()
    yield asks
    asks.stop()


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
