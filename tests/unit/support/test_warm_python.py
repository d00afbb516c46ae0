"""A module run by warm Python reads and writes as one that Python runs."""

import subprocess
from pathlib import Path

import pytest

from tests.support.warm_python import warm_python

MODULE = """
import os, sys
print(sys.argv[1:], os.environ["GIVEN"], os.getcwd(), "pandas" in sys.modules, sys.stdin.read())
print("aside", file=sys.stderr)
sys.exit(3)
"""


@pytest.mark.timeout(120)
def test_streams_arguments_environment_and_code(tmp_path: Path) -> None:
    (tmp_path / "asked_for.py").write_text(MODULE)
    environment = {"PYTHONPATH": str(tmp_path), "GIVEN": "value"}
    with warm_python() as python:
        done = subprocess.run(
            [python, "-m", "asked_for", "a", "b c"],
            env=environment,
            cwd=tmp_path,
            input="read",
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.stdout.split("\n")[0] == f"['a', 'b c'] value {tmp_path} True read"
    assert done.stderr == "aside\n"


@pytest.mark.timeout(120)
def test_without_its_server_it_is_python(tmp_path: Path) -> None:
    with warm_python() as python:
        kept = tmp_path / "python"
        kept.write_text(Path(python).read_text())
        kept.chmod(0o700)
    done = subprocess.run([kept, "-c", "print(1 + 1)"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "2\n")
