"""The files of the repository, tracked or new, without those that git ignores."""

import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def repository_files(*folders: str) -> list[Path]:
    """Absolute paths of the repository's files.

    Args:
        folders: only files in these folders, as paths from the root; all files when there are none.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    # A tracked file may have been deleted in the working tree.
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]
