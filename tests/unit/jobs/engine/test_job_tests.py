"""``python -m jobs.engine.job_tests``: what keeps it from playing is said before it plays, with status 2."""

from pathlib import Path

import pytest

from jobs.engine import job_tests
from jobs.engine.job_tests import UNUSABLE, main
from jobs.engine.local_session import NoSparkError


@pytest.fixture(autouse=True)
def _no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise NoSparkError("Spark doesn't start: no Java.")

    monkeypatch.setattr(job_tests, "local_session", fails)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs" / "tests").mkdir(parents=True)
    (tmp_path / "jobs" / "document.yaml").write_text("format: 1")
    (tmp_path / "jobs" / "tests" / "one.yaml").write_text("format: 1\nname: x\nbatches: [{}]\n")
    return tmp_path / "jobs"


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == UNUSABLE
    return capsys.readouterr().err


def test_spark_that_does_not_start_is_no_failed_test(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, folder) == "Spark doesn't start: no Java.\n"


@pytest.mark.parametrize("option", ["--junit", "--accepted"])
def test_a_file_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    missing = folder / "none" / "file"
    assert (
        said(capsys, folder, option, missing) == f"{missing} can't be written: No such file or directory.\n"
    )


@pytest.mark.parametrize("text", ["[]", "{", '{"jobs": []}', '{"jobs": {"x": {"step": [1]}}}'])
def test_accepted_plays_that_another_program_wrote(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    accepted = folder / "accepted.json"
    accepted.write_text(text)
    assert "accepted.json: not written by this command. Delete it" in said(
        capsys, folder, "--accepted", accepted
    )
