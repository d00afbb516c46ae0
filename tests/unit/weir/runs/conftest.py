import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from jobs.kafka_messages import EngineSettings, ProcessHandle
from weir.runs.services import processes

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def started(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[ProcessHandle]]:
    """Engines are sleeping processes; every one that was started."""
    settings.DATA_DIR = tmp_path
    settings.HOST_QUEUE = "engines.here"
    found: list[ProcessHandle] = []
    children: list[subprocess.Popen[bytes]] = []

    def spawn(settings_file: Path, label: str, log: Path) -> ProcessHandle:
        EngineSettings.model_validate_json(settings_file.read_bytes())
        assert settings_file.stat().st_mode & 0o077 == 0
        children.append(
            subprocess.Popen(SLEEPER, start_new_session=True, env={processes.ENGINE_LABEL: label})
        )
        found.append(processes.handle_of(children[-1].pid))
        return found[-1]

    monkeypatch.setattr(processes, "spawn", spawn)
    yield found
    for child in children:
        child.kill()
        child.wait()
