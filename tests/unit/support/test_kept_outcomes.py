"""A long run that was cut off goes on with what has not passed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.kept_outcomes import FILE_VARIABLE, SITTING_VARIABLE, Kept, kept

ROOT = Path(__file__).resolve().parents[3]
TESTS = """
import pathlib, pytest

@pytest.mark.xdist_group("a group")
@pytest.mark.parametrize("share", ["1 of 2", "2 of 2"])
def test_shares(share, record_property):
    record_property("relations", 7)

def test_mended():
    assert pathlib.Path(__file__).with_name("mended").exists()

@pytest.fixture
def unclean():
    yield
    raise ValueError("cleaning up")

def test_fails_twice(unclean):
    raise ValueError("in its body")

@pytest.mark.skip(reason="not here")
def test_skipped():
    pass
"""


def _sitting(folder: Path, number: int, *arguments: str) -> Kept:
    file = folder / "outcomes.jsonl"
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.support.kept_outcomes", "-p", "no:cacheprovider"),
            *("-p", "no:django", "-c", os.devnull, "--rootdir", str(folder), *arguments, str(folder)),
        ],
        cwd=ROOT,
        env=os.environ
        | {FILE_VARIABLE: str(file), SITTING_VARIABLE: str(number), "PYTHONPATH": str(ROOT)}
        | {"PYTEST_ADDOPTS": ""},
        capture_output=True,
        check=False,
    )
    return kept(file)


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param((), id="alone"),
        pytest.param(("-n", "2", "--dist", "loadgroup"), id="two workers", marks=pytest.mark.long),
    ],
)
def test_what_passed_is_not_played_again(tmp_path: Path, workers: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "conftest.py").touch()  # pytest then asks which of its plugins a test has
    (tmp_path / "other" / "test_other.py").write_text("def test_other():\n    pass\n")
    first = _sitting(tmp_path, 1, *workers)
    assert {one.name: (one.failure, one.skipped) for one in first.outcomes} == {
        "test_shares[1 of 2]": ("", ""),
        "test_shares[2 of 2]": ("", ""),
        "test_mended": (first_failure(first, "test_mended"), ""),
        "test_fails_twice": ("ValueError: in its body", ""),
        "test_skipped": ("", "Skipped: not here"),
        "test_other": ("", ""),
    }
    assert first_failure(first, "test_mended")
    (tmp_path / "mended").touch()
    with (tmp_path / "outcomes.jsonl").open("a") as file:
        file.write('{"test": "test_it.py::test_cut')  # killed while it wrote
        file.write("\n")
    second = _sitting(tmp_path, 2, *workers)
    assert (second.sittings, len(second.outcomes)) == (2, 6)
    assert {one.name for one in second.outcomes if one.sitting == 2} == {"test_mended", "test_fails_twice"}
    assert not first_failure(second, "test_mended")
    (one,) = [one for one in second.outcomes if one.name == "test_shares[2 of 2]"]
    assert (one.recorded, one.file) == ((("relations", "7"),), "test_it")


def first_failure(found: Kept, name: str) -> str:
    return next(one.failure for one in found.outcomes if one.name == name)


def test_no_file_no_tests(tmp_path: Path) -> None:
    assert kept(tmp_path / "missing.jsonl") == Kept([], 0, 0)
