"""Scripts and results on their way between the platform and what plays them."""

from pathlib import Path

import pytest

from jobs.job_tests.play_folder import PlayFolder, play_folder
from jobs.play import PlayBatch, PlayJob, PlayRecord, PlayResult, PlayScript

SCRIPT = PlayScript(
    job=PlayJob(document={"format": 1}, contracts={}),
    batches=(PlayBatch(records={"s": (PlayRecord(value=b"\xff", timestamp_us=1),)}),),
)


@pytest.fixture
def folder(tmp_path: Path) -> PlayFolder:
    made = play_folder(tmp_path, "abc")
    made.make()
    return made


def test_what_has_no_result_waits_in_order(folder: PlayFolder) -> None:
    for number in (10, 2, 0):
        folder.write_script(number, SCRIPT)
    assert folder.waiting() == [0, 2, 10]
    folder.write_result(2, PlayResult(elapsed_ms=7))
    assert folder.waiting() == [0, 10]
    assert folder.read_result(2) == PlayResult(elapsed_ms=7)
    assert folder.read_result(0) is None
    assert folder.read_script(10) == SCRIPT
    assert folder.read_script(1) is None


def test_only_its_owner_reads_it(folder: PlayFolder) -> None:
    assert folder.path.stat().st_mode & 0o077 == 0


def test_two_may_play_the_same_script(folder: PlayFolder) -> None:
    folder.write_script(0, SCRIPT)
    folder.write_result(0, PlayResult(elapsed_ms=1))
    folder.write_result(0, PlayResult(elapsed_ms=2))
    assert folder.read_result(0) == PlayResult(elapsed_ms=2)
    assert [path.name for path in (folder.path / "results").iterdir()] == ["0000.json"]


def test_who_accepted_it_may_decline_it(folder: PlayFolder) -> None:
    folder.accept()
    assert folder.is_accepted
    assert not folder.is_declined
    folder.decline()
    assert folder.is_declined
    assert not folder.is_accepted


def test_a_folder_that_is_gone_has_nothing_to_play(tmp_path: Path) -> None:
    gone = play_folder(tmp_path, "gone")
    gone.decline()
    assert gone.waiting() == []
    assert not gone.is_accepted
    with pytest.raises(FileNotFoundError):
        gone.accept()
    with pytest.raises(FileNotFoundError):
        gone.write_result(0, PlayResult())
