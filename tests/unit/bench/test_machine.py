"""What was measured is this code when nothing differs that a figure depends on."""

import pytest

from bench import machine
from bench.machine import is_measured_code


def test_a_commit_of_now_is_this_code_unless_something_is_uncommitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machine, "measured_commit", lambda: "65d3313")
    assert is_measured_code("HEAD")
    assert not is_measured_code("65d3313 and uncommitted changes")
    assert not is_measured_code("")
    assert not is_measured_code("a73733a and what came after it")
    monkeypatch.setattr(machine, "measured_commit", lambda: "65d3313 and uncommitted changes")
    assert not is_measured_code("HEAD")
