"""A section that fails, hangs or dies is named, leaves what was measured before, and ends no other."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from bench import one_section
from bench.__main__ import measure
from bench.machine import measured_commit
from bench.report import REPORTS
from bench.results import Failure, load, load_failure, save, save_failure
from bench.sections import SECTIONS, Measurement, Section
from bench.trials import Trials
from weir.embedded.layout import REPOSITORY

Measure = Callable[[Path, bool], Measurement]


def _failing(_folder: Path, _quick: bool) -> Measurement:
    raise ValueError("no broker\nin sight")


def _hanging(_folder: Path, _quick: bool) -> Measurement:
    """Its limit passes."""
    os.kill(os.getpid(), signal.SIGALRM)
    while True:
        time.sleep(0.01)


def _reason(folder: Path, section: str = "check") -> str:
    failure = load_failure(folder, section)
    assert failure is not None
    return failure.reason


def _replace(monkeypatch: pytest.MonkeyPatch, run: Measure) -> None:
    section = Section(run, minutes=1, limit_minutes=2)
    monkeypatch.setitem(one_section.SECTIONS, "check", section)


def test_what_was_measured_is_saved_and_an_old_failure_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_failure(tmp_path, "check", Failure.now("no broker", "65d3313"))
    _replace(monkeypatch, lambda _folder, _quick: ({"first_ms": 3}, {}))
    assert one_section.measure("check", tmp_path / "run", tmp_path, quick=True, limit_minutes=1) is None
    numbers = load(tmp_path, "check")
    assert numbers is not None
    assert numbers["first_ms"] == 3
    assert load_failure(tmp_path, "check") is None


def test_a_failure_is_noted_beside_the_numbers_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, "check", {"first_ms": 7}, {})
    _replace(monkeypatch, _failing)
    assert one_section.measure("check", tmp_path / "run", tmp_path, quick=True, limit_minutes=1) is not None
    assert load(tmp_path, "check") == {"first_ms": 7}
    failure = load_failure(tmp_path, "check")
    assert failure is not None
    assert failure.reason == "ValueError: no broker in sight"
    assert failure.commit.startswith(measured_commit()[:8])


def test_a_section_that_hangs_is_ended_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _replace(monkeypatch, _hanging)
    one_section.measure("check", tmp_path / "run", tmp_path, quick=True, limit_minutes=30)
    assert "TooLongError: not done within 30 min" in _reason(tmp_path)


def test_a_section_that_is_ended_at_its_limit_keeps_the_parts_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parts(folder: Path, quick: bool) -> Measurement:
        trials = Trials()
        found = [trials.run("first", lambda: 7), trials.run("second", lambda: _hanging(folder, quick))]
        found.append(trials.run("third", lambda: 8))
        return {"found": found, "failed": trials.end()}, {}

    _replace(monkeypatch, parts)
    one_section.measure("check", tmp_path / "run", tmp_path, quick=True, limit_minutes=30)
    assert (load(tmp_path, "check") or {})["found"] == [7, None, None]
    assert _reason(tmp_path) == "second: TooLongError: not done within 30 min"


def test_numbers_of_a_section_that_came_not_to_its_end_are_saved_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace(monkeypatch, lambda _folder, _quick: ({"steps": [1], "failed": "with 64 jobs: no answer"}, {}))
    failed = one_section.measure("check", tmp_path / "run", tmp_path, quick=True, limit_minutes=1)
    assert failed == "with 64 jobs: no answer"
    assert (load(tmp_path, "check") or {})["steps"] == [1]
    assert "with 64 jobs" in _reason(tmp_path)


def test_a_process_that_dies_is_named_and_the_next_section_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    script = "import os, sys; os.kill(os.getpid(), 9) if 'p1' in sys.argv else None"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{script}" "$@"\n')
    os.chmod(python, 0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    target = tmp_path / "report"
    assert measure(["p1", "check"], tmp_path / "runs", target, quick=True) == ["p1"]
    assert "its process ended with -9" in _reason(target, "p1")
    report = (tmp_path / "report.md").read_text()
    assert "| P1: click to first correct row | p50 ≤ 400 ms | – | not measured yet | failed |" in report
    assert "its process ended with -9" in report


_BENCH = """
import sys
from pathlib import Path
from bench import __main__ as bench
bench._adopt_orphans()
sys.executable = sys.argv[1]
print(bench.measure(["check"], Path(sys.argv[2]), Path(sys.argv[2]) / "report", quick=True))
"""


def test_what_a_dead_process_leaves_is_ended(tmp_path: Path) -> None:
    python, left = tmp_path / "python", tmp_path / "left"
    python.write_text(f"#!/bin/sh\nsetsid sleep 600 >/dev/null 2>&1 &\necho $! > {left}\nkill -9 $$\n")
    os.chmod(python, 0o755)
    command = [sys.executable, "-c", _BENCH, str(python), str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['check']"
    assert not psutil.pid_exists(int(left.read_text()))


def test_every_section_is_reported_and_has_a_limit_above_its_estimate() -> None:
    assert SECTIONS.keys() == REPORTS.keys()
    assert [name for name, each in SECTIONS.items() if each.limit_minutes < 1.5 * each.minutes] == []
