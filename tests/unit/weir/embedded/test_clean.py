"""`make clean` removes Weir's data, after a yes, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def clean(data: Path, answer: str | None) -> str:
    """What `make clean` prints when somebody answers so; None: nobody can."""
    done = subprocess.run(
        [sys.executable, "-m", "weir.embedded.clean"],
        env=os.environ | {"WEIR_DATA_DIR": str(data)},
        input=answer or "",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder as `make run` leaves it."""
    (tmp_path / "data" / "secrets").mkdir(parents=True)
    return tmp_path / "data"


def test_a_yes_removes_it(data: Path) -> None:
    assert "Removed." in clean(data, "yes\n")
    assert not data.exists()


@pytest.mark.parametrize("answer", ["no\n", "\n", None])
def test_without_a_yes_it_stays(data: Path, answer: str | None) -> None:
    said = clean(data, answer)
    assert "Nothing removed." in said
    assert "Traceback" not in said
    assert (data / "secrets").exists()


def test_a_folder_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    assert "nothing removed" in clean(tmp_path, "yes\n")
    assert (tmp_path / "thesis.txt").exists()
