"""What the report says of an aim is what was measured, with its day."""

from pathlib import Path
from typing import Any

import pytest

from bench.aims import Measured, Report, Verdict, aim_table, at_least, at_most, below
from bench.report import REPORTS, write_report
from bench.reports.recovery import windows_verdict
from bench.reports.scale import jobs_carried
from bench.results import FOLDER, Failure, load, save, save_failure


def _step(jobs: int, known: float, fresh_p95_ms: int | None) -> dict[str, Any]:
    return {"jobs": jobs, "known": known, "fresh_p95_ms": fresh_p95_ms}


@pytest.mark.parametrize(
    ("steps", "carried"),
    [
        pytest.param([_step(15, 1.0, 900), _step(64, 0.96, 1_900)], 64, id="nearly all run"),
        pytest.param([_step(15, 1.0, 900), _step(100, 0.12, 300)], 15, id="100 asked for, 12 run"),
        pytest.param([_step(15, 1.0, 2_001)], 0, id="too late"),
        pytest.param([_step(15, 0.0, None)], 0, id="nothing is known"),
        pytest.param([], 0, id="nothing was measured"),
    ],
)
def test_jobs_in_the_queue_are_not_carried(steps: list[dict[str, Any]], carried: int) -> None:
    assert jobs_carried(steps) == carried


@pytest.mark.parametrize("kind", ["missing", "unexpected", "different"])
def test_one_wrong_window_is_enough(kind: str) -> None:
    none = {"missing": 0, "unexpected": 0, "different": 0}
    assert windows_verdict({"windows": 100, "wrong_windows": none}).met
    assert not windows_verdict({"windows": 100, "wrong_windows": none | {kind: 1}}).met


@pytest.mark.parametrize(
    ("aim", "value", "verdict"),
    [
        (at_most("p99", 60, "ms", lambda numbers: numbers["at"]), 60.0, Verdict("60 ms", True)),
        (at_most("p99", 60, "ms", lambda numbers: numbers["at"]), 255.9, Verdict("256 ms", False)),
        (at_least("ratio", 0.7, "", lambda numbers: numbers["at"]), 0.6999, Verdict("0.7", False)),
        (below("idle", 0.03, "core", lambda numbers: numbers["at"]), 0.03, Verdict("0.03 core", False)),
        (below("idle", 0.03, "core", lambda numbers: numbers["at"]), None, None),
    ],
)
def test_limits(aim: Any, value: float | None, verdict: Verdict | None) -> None:
    assert aim.judge({"at": value}) == verdict


def test_the_table_says_the_day_and_what_is_not_measured() -> None:
    aim = at_most("p99", 60, "ms", lambda numbers: numbers.get("p99"))
    report = Report("Speed", lambda _: "", (aim,))
    at = {"measured at": "2026-11-21 10:08 UTC"}
    known = [
        Measured({"machine": at, "p99": 50.0}),
        Measured({"machine": at, "p99": 256.0}, failed="2026-11-25, no broker"),
        Measured(
            {"machine": at, "p99": 50.0, "failed": "two: no broker"}, failed="2026-11-21, two: no broker"
        ),
        Measured({"machine": at, "p99": 50.0, "one": {"strangers": 1.5}, "two": {"strangers": 0.1}}),
        Measured({"machine": at}),
        Measured(),
        Measured(failed="2026-11-25, no broker"),
    ]
    rows = aim_table((report, measured) for measured in known).splitlines()[3:]
    assert rows == [
        "| Speed | p99 ≤ 60 ms | 50 ms | met | 2026-11-21 |",
        "| Speed | p99 ≤ 60 ms | 256 ms | **falls short** | 2026-11-21 (failed since) |",
        "| Speed | p99 ≤ 60 ms | 50 ms | met | 2026-11-21 (a part failed) |",
        "| Speed | p99 ≤ 60 ms | 50 ms | met | 2026-11-21, strangers 1.5 cores |",
        "| Speed | p99 ≤ 60 ms | – | not measured yet | – |",
        "| Speed | p99 ≤ 60 ms | – | not measured yet | – |",
        "| Speed | p99 ≤ 60 ms | – | not measured yet | failed |",
    ]


def test_a_report_begins_with_all_aims_and_names_failures(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    numbers = {"steps": 50, "runs": 50, "first_ms": 11.2, "again_ms": 5.8, "import_ms": 347.4}
    save(folder, "check", {"machine": {"measured at": "2026-11-22 12:55 UTC"}, **numbers}, {})
    failure = Failure("2026-11-25 10:00 UTC", "65d3313", "ValueError: no broker")
    save_failure(folder, "check", failure)
    write_report(folder)
    text = (tmp_path / "report.md").read_text()
    table, rest = text.split("\n## All aims\n")[1].split("\n## ", 1)
    assert table.count("\n| ") == 1 + sum(len(report.aims) for report in REPORTS.values())
    assert "| Check | first check ≤ 20 ms | 11.2 ms | met | 2026-11-22 (failed since) |" in table
    assert rest.startswith("Check\n")  # a section that was never tried has no chapter
    assert (
        "**The last run failed**: 2026-11-25 10:00 UTC, commit 65d3313: ValueError: no broker. "
        "What follows is older.\n" in rest
    )


def test_what_a_part_that_failed_leaves_is_shown_as_that(tmp_path: Path) -> None:
    numbers = {"steps": 50, "runs": 50, "first_ms": 11.2, "again_ms": 5.8, "import_ms": 347.4, "failed": "x"}
    save(tmp_path / "r", "check", {"machine": {"measured at": "2026-11-22 12:55 UTC"}, **numbers}, {})
    save_failure(tmp_path / "r", "check", Failure("2026-11-22 12:55 UTC", "65d3313", "x"))
    write_report(tmp_path / "r")
    assert (
        "commit 65d3313: x. What follows is what else that run measured.\n" in (tmp_path / "r.md").read_text()
    )


def test_a_section_is_compared_with_the_last_numbers_of_another(tmp_path: Path) -> None:
    machine = {
        "machine": {"measured at": "2026-11-22 12:55 UTC"},
        "strangers": 0.0,
        "rate": 50,
        "seconds": 60,
    }
    step = {
        "jobs": 2,
        "known": 1.0,
        "fresh_p50_ms": 1,
        "fresh_p95_ms": 9,
        "cores": 1,
        "pss_mb": 1,
        "start_s": 9,
    }
    save(tmp_path / "r", "submitted_jobs", {**machine, "fresh_ms": 1, "steps": [step], "settings": []}, {})
    write_report(tmp_path / "r")
    assert "P5 was not measured yet." in (tmp_path / "r.md").read_text()
    ours = {
        **step,
        "jobs": 16,
        "states": {},
        "reasons": {},
        "settled": True,
        "cores": {"engine": 1},
    }
    save(tmp_path / "r", "p5", {**machine, "steps": [ours], "stop_s": 1.0}, {})
    write_report(tmp_path / "r")
    assert "- jobs that P5 carries / these ≥ 6: 8, met" in (tmp_path / "r.md").read_text()


@pytest.mark.parametrize("section", REPORTS)
def test_what_was_measured_before_can_be_reported(section: str) -> None:
    numbers = load(FOLDER, section)
    if numbers is not None:
        numbers |= {other: load(FOLDER, other) for other in REPORTS[section].beside}
        REPORTS[section].text(numbers)
        for aim in REPORTS[section].aims:
            aim.judge(numbers)


def test_the_page_is_what_its_files_say(tmp_path: Path) -> None:
    for file in FOLDER.iterdir():
        target = tmp_path / FOLDER.name / file.name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(file.read_bytes())
    write_report(tmp_path / FOLDER.name)
    assert (tmp_path / f"{FOLDER.name}.md").read_text() == (FOLDER.parent / f"{FOLDER.name}.md").read_text()
