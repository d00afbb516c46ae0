"""How an engine's process ended, by what it logged."""

from pathlib import Path

import pytest

from weir.runs.services.engine_deaths import Death, how_it_ended, note_begin

CRASH = "# A fatal error has been detected by the Java Runtime Environment:\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "engines" / "shared-1.log"


def write(log: Path, text: str) -> None:
    with log.open("a", encoding="utf-8") as output:
        output.write(text)


def test_a_process_that_logged_a_crash_has_crashed(log: Path) -> None:
    note_begin(log, "inc-1")
    write(log, CRASH)
    assert how_it_ended(log, "inc-1", was_ready=True, memory_kill=False) is Death.CRASHED


def test_a_crash_is_not_that_of_a_process_after_it(log: Path) -> None:
    note_begin(log, "inc-1")
    write(log, CRASH)
    note_begin(log, "inc-2")
    assert how_it_ended(log, "inc-2", was_ready=True, memory_kill=False) is Death.KILLED


def test_a_crash_is_not_that_of_a_process_which_could_log_nothing(log: Path) -> None:
    """The disk was full, so its mark is not there either."""
    note_begin(log, "inc-1")
    write(log, CRASH)
    assert how_it_ended(log, "inc-2", was_ready=False, memory_kill=False) is Death.NEVER_READY


def test_of_a_long_log_its_end_says_how_the_process_ended(log: Path) -> None:
    note_begin(log, "inc-1")
    write(log, "a line of the log\n" * 20_000)
    write(log, CRASH)
    assert how_it_ended(log, "inc-1", was_ready=True, memory_kill=False) is Death.CRASHED


def test_a_process_without_a_log_was_killed(log: Path) -> None:
    assert how_it_ended(log, "inc-1", was_ready=True, memory_kill=False) is Death.KILLED
    assert how_it_ended(log, "inc-1", was_ready=True, memory_kill=True) is Death.OUT_OF_MEMORY
