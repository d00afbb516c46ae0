"""The files of a system that runs, which come and go while one looks."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def paths_below(folder: Path, without: str = "") -> Iterator[Path]:
    """Files and folders below a folder, as far as they are still there.

    Args:
        folder: where to look.
        without: folders of this name are left out, with all in them.
    """
    for name, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != without]
        yield from (Path(name, each) for each in (*folders, *files))


def text_of(path: Path) -> str:
    """The text of a file; empty where it is gone."""
    with suppress(FileNotFoundError):
        return path.read_text(errors="replace")
    return ""
