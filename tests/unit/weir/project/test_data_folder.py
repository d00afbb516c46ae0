"""The data folder is this user's alone, whoever makes it first."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_manage_py_makes_it_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    unset = ("DATABASE_URL", "RESULTS_DATABASE_URL", "WEIR_SECRET_KEY_FILE")
    variables = {name: value for name, value in os.environ.items() if name not in unset} | {
        "WEIR_DATA_DIR": str(data)
    }
    before = os.umask(0o022)
    try:
        subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "check"], env=variables, capture_output=True, check=True
        )
    finally:
        os.umask(before)
    assert data.stat().st_mode & 0o777 == 0o700
