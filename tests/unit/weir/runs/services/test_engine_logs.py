"""Logs of engines, which live for months, stay small, and engines go on writing to them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.support.processes import wait_until
from weir.runs.services import engine_logs
from weir.runs.services.engine_logs import delete_engine_log, engine_log, shorten_engine_logs

_WRITER = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"


@pytest.fixture
def log(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(engine_logs, "ENGINE_LOG_BYTES", 100)
    path = engine_log("shared-1")
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def engine(log: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process whose output is appended to the log, as that of an engine is."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER], stdin=subprocess.PIPE, stdout=output, text=True
        )
    yield process
    process.communicate()


def _write(engine: "subprocess.Popen[str]", log: Path, text: str) -> None:
    assert engine.stdin is not None
    before = log.stat().st_size
    engine.stdin.write(text + "\n")
    engine.stdin.flush()
    wait_until(lambda: log.stat().st_size == before + len(text) + 1, 60, "the line is written")


def test_a_long_log_begins_anew_and_is_written_on(engine: "subprocess.Popen[str]", log: Path) -> None:
    earlier = log.with_name("shared-1.log.1")
    _write(engine, log, "a" * 99)
    shorten_engine_logs()
    assert not earlier.exists(), "it isn't too long yet"
    _write(engine, log, "b")
    shorten_engine_logs()
    assert (log.read_text(), earlier.read_text()) == ("", "a" * 99 + "\nb\n")
    _write(engine, log, "c" * 200)
    assert log.read_text() == "c" * 200 + "\n", "no hole where the earlier text was"
    shorten_engine_logs()
    assert earlier.read_text() == "c" * 200 + "\n", "one earlier part is enough"
    delete_engine_log("shared-1")
    assert list(log.parent.iterdir()) == []


def test_without_room_for_a_copy_it_is_emptied_all_the_same(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engine_logs.shutil, "copyfile", full)
    log.write_text("a" * 200)
    shorten_engine_logs()
    assert log.read_text() == ""


def test_without_engines_there_is_nothing_to_shorten(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    shorten_engine_logs()
