"""The compiler of Weir's Java classes, which the error of a missing jar recommends."""

import os
import re
import shutil
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


@pytest.mark.thorough
def test_the_command_line_compiles_the_jar_that_engines_need(tmp_path: Path, jar: Path) -> None:
    settings = engine_settings(HOME, tmp_path)
    with pytest.raises(FileNotFoundError):
        launch.spark_jars(settings)
    java_classes.main()
    assert jar in launch.spark_jars(settings)


def test_a_jar_of_other_sources_or_libraries_is_outdated(
    tmp_path: Path, jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes of Spark and of Kafka's client are copied into it, so with a newer Spark it is old."""
    sources, libraries = tmp_path / "src", tmp_path / "lib"
    source, library = sources / "weir" / "A.java", libraries / "spark-core-1.jar"
    for file in (source, sources / "weir" / "B.java", library):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"class {file.stem} {{}}")
    monkeypatch.setattr(java_classes, "SOURCES", sources)
    monkeypatch.setattr(java_classes, "STUBS", tmp_path / "stubs")
    monkeypatch.setattr(java_classes, "libraries", lambda: [libraries])
    monkeypatch.setattr(java_classes, "_run", lambda *_: None)
    if shutil.which("javac") is None:
        pytest.skip("no JDK")

    def is_compiled() -> bool:
        was = java_classes.outdated()
        java_classes.compile_classes()
        assert not java_classes.outdated()
        return was

    assert is_compiled()
    library = library.rename(libraries / "spark-core-2.jar")
    assert is_compiled()
    os.utime(source, (0, 0))
    assert not java_classes.outdated()
    source.write_text("class A { int changed; }")
    assert is_compiled()
    source.unlink()
    assert is_compiled()
    jar.unlink()
    assert is_compiled()


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
