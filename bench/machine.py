"""The machine that measured, in the words of the report."""

import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil


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
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "measured at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit,
        "processor": f"{psutil.cpu_count()} × {model}",
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Java": java[0] if java else "?",
        "Python": platform.python_version(),
        "PySpark": version("pyspark"),
        "broker": "Kafka 4.3.1, one KRaft node, loopback, heap 512 MiB",
        "load average before": " ".join(f"{load:.2f}" for load in psutil.getloadavg()),
    }
