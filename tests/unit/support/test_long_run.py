"""The summary that `make test-long` writes."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.support.kept_outcomes import Kept, Outcome
from tests.support.long_run import (
    BEGIN,
    COMPUTING_FOLDERS,
    END,
    INTEGRATION,
    PAGE,
    PARALLEL,
    PARTS,
    ROOT,
    SIDE_BY_SIDE,
    WAITING_FILES,
    WAITING_FOLDERS,
    into_page,
    summary,
)

FOUND = [
    Outcome(
        "tests/integration/engine/test_a.py::test_one[x]", 1, 0, 61.5, recorded=(("relations", "renamed 7"),)
    ),
    Outcome(
        "tests/integration/engine/test_c.py::test_shares[1 of 2]",
        1,
        0,
        1,
        recorded=(("relations", "renamed 7, recut 1"),),
    ),
    Outcome(
        "tests/integration/engine/test_c.py::test_shares[2 of 2]",
        2,
        0,
        1,
        recorded=(("relations", "renamed 3, recut 0"),),
    ),
    Outcome("tests/integration/engine/test_a.py::test_two", 1, 0, 3, failure="assert 1 == 2\n  more"),
    Outcome("tests/e2e/test_b.py::test_three", 1, 0, 3, skipped="not yet"),
]


def test_outcomes_become_a_summary() -> None:
    text = summary(datetime(2026, 1, 2, 3, 4, tzinfo=UTC), ["seed 7"], {"integration": Kept(FOUND, 12.0, 2)})
    assert "Last begun 2026-01-02 03:04 UTC. seed 7." in text
    assert "| integration | 2 | 12.0 | 5 | 3 | 1 | 1 |" in text
    assert "- relations (test_one[x]): renamed 7" in text
    assert "- relations (test_shares): renamed 10, recut 1" in text
    assert "test_two`: assert 1 == 2 more" in text
    assert "expected to fail: `test_three`: not yet" in text
    assert "| integration/engine/test_a | 2 | 1 | 1 | 0 | 1.1 |" in text


def test_what_parameters_of_one_test_record_is_not_added_up() -> None:
    measured = [
        Outcome(f"tests/chaos/test_d.py::test_kill[{mode}]", 1, 0, 1, recorded=(("kill to answer, s", took),))
        for mode, took in (("realtime", "6.0"), ("microbatch", "7.5"))
    ]
    text = summary(datetime(2026, 1, 2, tzinfo=UTC), [], {"chaos": Kept(measured, 1.0, 1)})
    assert "- kill to answer, s (test_kill[realtime]): 6.0" in text
    assert "- kill to answer, s (test_kill[microbatch]): 7.5" in text


def test_every_part_is_played_once() -> None:
    assert sorted(name for row in SIDE_BY_SIDE for name in row) == sorted(PARTS)


def test_each_folder_of_integration_tests_is_in_one_part() -> None:
    folders = [folder.name for folder in INTEGRATION.iterdir() if [*folder.glob("test_*.py")]]
    assert sorted(folders) == sorted([*COMPUTING_FOLDERS, *WAITING_FOLDERS])
    assert [file for file in WAITING_FILES if not (ROOT / file).is_file()] == []


def test_only_text_between_the_markers_is_replaced() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    once = into_page(page, "new")
    assert into_page(once, "new") == once
    assert once.partition(BEGIN)[0] == page.partition(BEGIN)[0]
    assert once.partition(END)[2] == page.partition(END)[2]


def test_tests_of_a_group_go_to_one_process(tmp_path: Path) -> None:
    """With pytest 9.2.0 pytest-xdist 3.8.0 looks at no group, and each process starts all cases of a file."""
    (tmp_path / "test_it.py").write_text(
        "import pathlib, pytest\n"
        "@pytest.mark.xdist_group('a group')\n"
        "@pytest.mark.parametrize('number', range(6))\n"
        "def test_one(number, worker_id):\n"
        "    pathlib.Path(__file__).with_name(worker_id).touch()\n"
    )
    command = (sys.executable, "-m", "pytest", *PARALLEL, "-p", "no:django", "-p", "no:cacheprovider")
    plain = ("-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path))
    subprocess.run([*command, *plain], cwd=tmp_path, check=True, capture_output=True)
    assert len(list(tmp_path.glob("gw*"))) == 1
