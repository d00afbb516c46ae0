"""The machine that measured, in the words of the report."""

import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import psutil

from weir.embedded.layout import REPOSITORY

_MEASURED: Final = (
    "bench", "deploy", "examples", "frontend/src", "jobs", "jvm", "platform", "tests/support",
    "constraints.txt", "requirements.txt", ":(exclude)bench/reports",
)  # fmt: skip
"""What a figure depends on: all but texts, reports and tests."""
_CHANGED: Final = "and uncommitted changes"


def describe() -> dict[str, str]:
    """Processor, memory, versions, time and the load that others caused before the run."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "?",
    )
    java = subprocess.run(
        ["java", "-version"], capture_output=True, text=True, check=False
    ).stderr.splitlines()
    return {
        "measured at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": measured_commit(),
        "processor": f"{psutil.cpu_count()} × {model}",
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Java": java[0] if java else "?",
        "Python": platform.python_version(),
        "PySpark": version("pyspark"),
        "broker": "Kafka 4.3.1, one KRaft node, loopback, heap 512 MiB",
        "load average before": " ".join(f"{load:.2f}" for load in psutil.getloadavg()),
    }


def measured_commit() -> str:
    """The commit that is measured, and whether something that is measured differs from it."""
    commit = _git("rev-parse", "--short", "HEAD").stdout.strip()
    changed = _git("status", "--porcelain", "--", *_MEASURED).stdout.strip()
    return f"{commit} {_CHANGED}" if changed else commit


def is_measured_code(commit: str) -> bool:
    """True when what is measured now is what a commit has; never with uncommitted changes on either side.

    Args:
        commit: as `measured_commit` named it.
    """
    if not commit or _CHANGED in commit or _CHANGED in measured_commit():
        return False
    return _git("diff", "--quiet", commit, "HEAD", "--", *_MEASURED).returncode == 0


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=REPOSITORY)
