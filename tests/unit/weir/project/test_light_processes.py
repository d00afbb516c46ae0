"""Processes do not load what they do not use, which would double the time that each takes to start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weir.embedded.layout import REPOSITORY
from weir.project.celery import app

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
BEAT = """
import weir.project.beat
weir.project.beat.app.loader.init_worker()
weir.project.beat.app.finalize()
"""
LOADED = """
import sys
print("weir.runs.services.report_handlers" in sys.modules or "weir.runs.tasks" in sys.modules)
print([name for name in ("weir.project.urls", "drf_spectacular.generators") if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("start", "loaded"),
    [(WORKER, "True\n[]\n"), (RELAY, "True\n[]\n"), (BEAT, "False\n[]\n")],
    ids=["worker", "relay", "beat"],
)
def test_only_what_a_process_uses_is_loaded(start: str, loaded: str, tmp_path: Path) -> None:
    """Worker and relay have the models, none has the web interface."""
    done = subprocess.run(
        [sys.executable, "-c", start + LOADED],
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
    assert (done.stdout, done.returncode) == (loaded, 0), done.stderr


def test_workers_have_the_task_of_each_tick() -> None:
    """Beat names tasks that it has not loaded."""
    app.loader.import_default_modules()
    assert {tick["task"] for tick in app.conf.beat_schedule.values()} <= set(app.tasks)
