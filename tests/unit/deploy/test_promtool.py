"""Prometheus's own tool about deploy/prometheus: it reads the files, and the rules fire on what they should.

promtool comes with Debian's package `prometheus`. Where it is missing, `test_prometheus.py` stands alone.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "deploy" / "prometheus"
PROMTOOL = shutil.which("promtool")

pytestmark = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed: apt install prometheus")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", "alerts.yml"),
        ("check", "config", "--syntax-only", "prometheus.yml"),
        ("test", "rules", "alerts.test.yml"),
    ],
    ids=" ".join,
)
def test_promtool_accepts(arguments: tuple[str, ...]) -> None:
    assert PROMTOOL is not None
    done = subprocess.run(
        [PROMTOOL, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
