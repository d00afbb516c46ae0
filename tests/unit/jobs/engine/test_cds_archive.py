"""Only one engine at a time records the class-data archive, and none records it again."""

import fcntl
from pathlib import Path
from typing import Any

import pytest

from jobs.engine.cds_archive import record_archive


class UsedError(Exception):
    """The JVM was asked to record."""


class Context:
    """A Spark context whose JVM must not be used, or whose use is noticed."""

    @property
    def _jvm(self) -> Any:
        raise UsedError


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Where the archive belongs; its folder is not there yet."""
    return tmp_path / "class-data" / "0123.jsa"


def test_one_that_is_missing_is_recorded(archive: Path) -> None:
    with pytest.raises(UsedError):
        record_archive(Context(), archive)  # type: ignore[arg-type]  # a fake
    with pytest.raises(UsedError):  # the claim of the one before ended with it
        record_archive(Context(), archive)  # type: ignore[arg-type]  # a fake


def test_one_that_is_there_is_kept(archive: Path) -> None:
    archive.parent.mkdir()
    archive.write_bytes(b"recorded")
    record_archive(Context(), archive)  # type: ignore[arg-type]  # a fake
    assert archive.read_bytes() == b"recorded"


def test_one_that_another_engine_is_recording_is_left_to_it(archive: Path) -> None:
    archive.parent.mkdir()
    with archive.with_suffix(".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        record_archive(Context(), archive)  # type: ignore[arg-type]  # a fake
    assert not archive.exists()
