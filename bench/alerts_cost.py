"""Calls `bench.alerts` in a process of its own, which has Django set up."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.usage import Strangers
from weir.embedded.layout import REPOSITORY


def measure(folder: Path, jobs: int, seconds: int) -> dict[str, Any]:
    """What `bench.alerts.measure` returns, and strangers (cores).

    Args:
        folder: new, for the data that settings ask for.
        jobs: over which rules and rows are spread evenly.
        seconds: of traffic.
    """
    strangers = Strangers(folder)
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
        "WEIR_DATA_DIR": str(folder),
        "PYTHONPATH": f"{REPOSITORY / 'platform'}:{REPOSITORY}",
    }
    code = f"import json; from bench.alerts import measure; print(json.dumps(measure({jobs}, {seconds})))"
    shell = [sys.executable, "-m", "django", "shell", "--no-imports", "-c", code]
    done = subprocess.run(shell, env=environment, check=True, capture_output=True, text=True)
    return {**json.loads(done.stdout.splitlines()[-1]), "strangers": strangers.cores()}
