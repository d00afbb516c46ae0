"""Private files are whole, and nobody else's."""

import subprocess
import sys
from pathlib import Path

import pytest

from weir.embedded.private_files import write_private

# A limit of the file's size, because a full disk can't be had in a test: the same error at the same place.
FULL = """
import resource, sys
from pathlib import Path
from weir.embedded.private_files import write_private
resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))
write_private(Path(sys.argv[1]), "too long a password")
"""


def test_nobody_else_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("old")
    file.chmod(0o644)
    write_private(file, "new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o600)


@pytest.mark.parametrize("before", [None, "old"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, before: str | None) -> None:
    file = tmp_path / "password"
    if before is not None:
        file.write_text(before)
    done = subprocess.run([sys.executable, "-c", FULL, file], capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == (
        {} if before is None else {"password": before}
    )
