"""The compiler of Weir's Java classes, which the error of a missing jar recommends."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.connections import ClusterProfile
from jobs.engine import launch
from tests.support.desired_runs import engine_settings
from weir.embedded import java_classes
from weir.embedded.layout import REPOSITORY

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9092")


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The jar's path, where both compiler and engine expect it; there is none yet."""
    path = tmp_path / "build" / "weir.jar"
    monkeypatch.setattr(java_classes, "TARGET", path)
    monkeypatch.setattr(launch, "CLASSES_JAR", path)
    return path


def test_the_command_line_compiles_the_jar_that_engines_need(tmp_path: Path, jar: Path) -> None:
    settings = engine_settings(HOME, tmp_path)
    with pytest.raises(FileNotFoundError):
        launch.spark_jars(settings)
    java_classes.main()
    assert jar in launch.spark_jars(settings)


def test_the_error_of_a_missing_jar_recommends_a_command_that_does_something(
    tmp_path: Path, jar: Path
) -> None:
    with pytest.raises(FileNotFoundError) as error:
        launch.spark_jars(engine_settings(HOME, tmp_path))
    command = re.search(r"python (-m [\w.]+)\.$", str(error.value))
    assert command is not None
    # Without a compiler, so that the repository's own jar stays.
    variables = os.environ | {"PATH": str(tmp_path), "PYTHONPATH": str(REPOSITORY / "platform")}
    done = subprocess.run(
        [sys.executable, *command[1].split()], env=variables, cwd=REPOSITORY, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.strip()) == (1, java_classes.NO_COMPILER)
