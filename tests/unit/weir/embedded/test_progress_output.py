"""Progress in a log: one line per step with its duration, and failures."""

import re
import threading

import pytest

from weir.embedded.progress_output import step


def test_a_step_prints_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    with step("Frontend"):
        pass
    out = capsys.readouterr().out
    assert out.startswith("  Frontend....")
    assert out.endswith(" s\n")


def test_a_failed_step_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with step("Frontend"):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert capsys.readouterr().out.endswith("failed\n")


def test_steps_at_the_same_time_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    begun, ended = threading.Event(), threading.Event()

    def other() -> None:
        with step("Python packages"):
            begun.set()
            ended.wait(20)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(20)
    with step("Frontend"):
        pass
    ended.set()
    thread.join(20)
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"[.]{3,} +\d+\.\d s", "", line) for line in lines] == ["  Frontend", "  Python packages"]
