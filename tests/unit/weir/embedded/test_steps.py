"""Progress that a log can hold: one line per step with its time, failures marked."""

import pytest

from weir.embedded.steps import step


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
