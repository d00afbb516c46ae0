"""Processes that serve no web interface do not load it: it would double the time that each takes to start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weir.embedded.layout import REPOSITORY

WORKER = """
import weir.project.celery
weir.project.celery.app.loader.import_default_modules()
"""
RELAY = """
from unittest.mock import patch
import django
from django.core.management import execute_from_command_line
django.setup()
with patch("weir.relay.service.Relay.__init__", return_value=None), patch("weir.relay.service.Relay.run"):
    execute_from_command_line(["manage.py", "relay"])
"""
TELL = """
import sys
print("weir.runs.services.report_handlers" in sys.modules or "weir.runs.tasks" in sys.modules)
print([name for name in ("weir.project.urls", "drf_spectacular.generators") if name in sys.modules])
"""


@pytest.mark.parametrize("start", [WORKER, RELAY], ids=["worker and beat", "relay"])
def test_the_web_interface_is_not_loaded(start: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", start + TELL],
        cwd=REPOSITORY,
        env={
            **{name: value for name, value in os.environ.items() if name != "CELERY_SKIP_CHECKS"},
            "DJANGO_SETTINGS_MODULE": "weir.project.settings",
            "WEIR_DATA_DIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "platform"), str(REPOSITORY)]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("True\n[]\n", 0), done.stderr
