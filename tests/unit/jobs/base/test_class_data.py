"""A class-data archive is made once, by one process, and what goes wrong leaves nothing behind."""

import fcntl
import subprocess
from pathlib import Path

import psutil
import pytest

from jobs.base.cds_path import java_of_spark
from jobs.base.class_data import record, start_recorder
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until

JAVA = java_of_spark() or Path("java")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Where the archive belongs; its folder is not there yet."""
    return tmp_path / "class-data" / "0123.jsa"


@pytest.fixture
def class_list(tmp_path: Path) -> Path:
    """What a small JVM has loaded, and a line that it is just writing."""
    made = tmp_path / "classes.list"
    command = [str(JAVA), f"-XX:DumpLoadedClassList={made}", "-Xlog:cds=off", "-version"]
    subprocess.run(command, capture_output=True, check=True)
    with made.open("a") as file:
        file.write("java/lang/Obj")
    return made


def test_a_jvm_loads_what_was_recorded(archive: Path, class_list: Path) -> None:
    assert record(archive, class_list, "", JAVA) == ""
    assert [path.name for path in archive.parent.iterdir() if path.suffix != ".lock"] == [archive.name]
    # With -Xshare:on a JVM ends that can't map the archive.
    command = [str(JAVA), "-Xshare:on", f"-XX:SharedArchiveFile={archive}", "-version"]
    subprocess.run(command, capture_output=True, check=True)
    assert not class_list.exists()


def test_the_process_makes_the_same(archive: Path, class_list: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_ENGINE", "a mark")
    monkeypatch.setenv("WEIR_EMBEDDED", "another")
    process = start_recorder(archive, class_list, "", JAVA)
    assert process is not None
    # It is not found as the engine that has started it, and may outlive that.
    shown = psutil.Process(process.pid)
    wait_until(lambda: shown.environ().get("WEIR_EMBEDDED") == "another", 10, "its environment is there")
    assert "WEIR_ENGINE" not in shown.environ()
    _, problem = process.communicate(timeout=120 * PATIENCE)
    assert problem == ""
    assert archive.exists()


def test_the_process_ends_without_a_word_where_the_engine_has(archive: Path, class_list: Path) -> None:
    process = start_recorder(archive, class_list, "", JAVA)
    class_list.unlink()
    assert process is not None
    _, problem = process.communicate(timeout=120 * PATIENCE)
    assert problem == ""


def test_a_folder_that_cannot_be_made_is_told_in_a_line(class_list: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = start_recorder(tmp_path / "file" / "0123.jsa", class_list, "", JAVA)
    assert process is not None
    _, problem = process.communicate(timeout=120 * PATIENCE)
    assert problem.count("\n") == 1
    assert str(tmp_path / "file") in problem


def test_one_that_is_broken_off_leaves_nothing(archive: Path, class_list: Path) -> None:
    process = start_recorder(archive, class_list, "", JAVA)
    assert process is not None
    wait_until(lambda: list(archive.parent.glob("*.draft/classes.list")), 60, "the recording has begun")
    process.terminate()
    _, problem = process.communicate(timeout=120 * PATIENCE)
    assert problem == ""
    assert [path.suffix for path in archive.parent.iterdir()] == [".lock"]
    assert class_list.exists(), "the next recording has a list"


def test_one_that_is_there_is_kept(archive: Path, class_list: Path) -> None:
    archive.parent.mkdir()
    archive.write_bytes(b"recorded")
    assert start_recorder(archive, class_list, "", JAVA) is None
    assert record(archive, class_list, "", JAVA) == ""
    assert archive.read_bytes() == b"recorded"


def test_a_jvm_that_lists_nothing_needs_no_recorder(archive: Path, tmp_path: Path) -> None:
    assert start_recorder(archive, tmp_path / "classes.list", "", JAVA) is None


def test_one_that_another_process_is_making_is_left_to_it(archive: Path, class_list: Path) -> None:
    archive.parent.mkdir()
    with archive.with_suffix(".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert record(archive, class_list, "", JAVA) == ""
    assert not archive.exists()


def test_a_class_list_that_java_refuses_is_told_and_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    listed = tmp_path / "classes.list"
    listed.write_text("@lambda-proxy\n")
    left = archive.parent / f"{archive.stem}.killed.draft"  # by a process that was killed
    left.mkdir(parents=True)
    assert "status" in record(archive, listed, "", JAVA)
    assert [path.suffix for path in archive.parent.iterdir()] == [".lock"]
