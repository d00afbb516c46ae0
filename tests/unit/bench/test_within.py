"""What is not measured on this code comes first, by worth; what failed on it last; the rest waits."""

from pathlib import Path

import pytest

from bench import __main__ as bench
from bench import within
from bench.results import Failure, save, save_failure
from bench.sections import SECTIONS
from bench.within import WORTH, choose, due

HERE, BEFORE = "65d3313", "a73733a"


@pytest.fixture(autouse=True)
def _this_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "is_measured_code", lambda commit: commit == HERE)


def _measured(target: Path, section: str, commit: str) -> None:
    save(target, section, {"machine": {"commit": commit}}, {})


def test_every_section_has_its_worth() -> None:
    assert sorted(WORTH) == sorted(SECTIONS)


def test_what_is_measured_on_this_code_is_not_measured_again(tmp_path: Path) -> None:
    assert due(tmp_path) == list(WORTH)
    _measured(tmp_path, "p4", HERE)
    _measured(tmp_path, "p7", BEFORE)
    assert due(tmp_path) == [name for name in WORTH if name != "p4"]


def test_what_failed_on_this_code_comes_last(tmp_path: Path) -> None:
    save_failure(tmp_path, "p4", Failure.now("no broker", HERE))
    _measured(tmp_path, "p7", HERE)
    save_failure(tmp_path, "p7", Failure.now("a part failed", HERE))
    _measured(tmp_path, "state", HERE)
    save_failure(tmp_path, "state", Failure.now("no broker", BEFORE))
    rest = [name for name in WORTH if name not in ("p4", "p7")]
    assert due(tmp_path) == [*rest, "p4", "p7"]


def test_the_first_that_fits_is_next(tmp_path: Path) -> None:
    first = WORTH[0]
    assert choose(tmp_path, SECTIONS[first].minutes, ()) == first
    short = next(name for name in WORTH if SECTIONS[name].minutes <= 10)
    assert choose(tmp_path, 10, ()) == short
    assert choose(tmp_path, 10, (short,)) not in (short, None)
    assert choose(tmp_path, 0.5, ()) is None


def test_sections_are_measured_until_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, limits = [0.0], {}

    def measured(name: str, _folder: Path, _target: Path, _quick: bool, limit_minutes: float) -> bool:
        limits[name] = limit_minutes
        now[0] += 60 * SECTIONS[name].minutes
        return name != "p7"

    monkeypatch.setattr(bench.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(bench, "_measured", measured)
    assert bench.measure_within(90, tmp_path, tmp_path / "report", quick=False) == ["p7"]
    assert list(limits)[:2] == ["p4", "p7"]
    assert now[0] <= 60 * 90
    assert limits["p4"] == 90  # its own limit is longer
    assert limits["p7"] == 90 - SECTIONS["p4"].minutes
    assert len(set(limits)) == len(limits)
