"""Compiles the Java classes of `jvm/src` into `jvm/build/weir.jar`. Standard library only.

python -m weir.embedded.java_classes
"""

import os
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from weir.embedded.commands import CommandError, Commands
from weir.embedded.jars import jars
from weir.embedded.layout import REPOSITORY

SOURCES = REPOSITORY / "jvm" / "src"
STUBS = REPOSITORY / "jvm" / "stubs"
TARGET = REPOSITORY / "jvm" / "build" / "weir.jar"
_REWRITERS = (
    "weir.batches.EndedBatches",
    "weir.batches.SizedBatches",
    "weir.consumers.FetchesAsk",
    "weir.net.BindServers",
    "weir.records.RowsOfRecords",
    "weir.watermarks.UncompiledPredicates",
)
NO_COMPILER = "javac isn't installed. Install a JDK 17 or newer."


def outdated() -> bool:
    """True when a source is newer than the jar."""
    newest = max((path.stat().st_mtime for path in (*_java(SOURCES), *_java(STUBS))), default=0.0)
    return newest > (TARGET.stat().st_mtime if TARGET.exists() else 0.0)


def class_path() -> str:
    """What the sources compile against: PySpark's jars, and those of the sets `patterns` and `spark`."""
    libraries = next((REPOSITORY / ".venv" / "lib").glob("python3.*/site-packages/pyspark/jars"))
    return f"{libraries}/*:{jars('patterns')}/*:{jars('spark')}/*"


def compile_classes(commands: Commands | None = None) -> bool:
    """Compile all sources into a new jar.

    Args:
        commands: runs the compiler, and what writes classes of libraries anew.

    Returns:
        False without a JDK: engines cannot start then.

    Raises:
        RuntimeError: compilation failed.
    """
    if shutil.which("javac") is None:
        return False
    path = class_path()
    begun = time.time()
    with tempfile.TemporaryDirectory() as classes:
        run = (commands or Commands()).run
        sources = map(str, (*_java(SOURCES), *_java(STUBS)))
        _run(run, ["javac", "--release", "17", "-nowarn", "-cp", path, "-d", classes, *sources])
        for stub in _java(STUBS):
            (Path(classes) / stub.relative_to(STUBS)).with_suffix(".class").unlink()
        for rewriter in _REWRITERS:
            _run(run, ["java", "-cp", f"{classes}:{path}", rewriter, classes])
        _pack(Path(classes), begun)
    return True


def _java(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.java"))


def _run(run: Callable[[list[str]], str], command: list[str]) -> None:
    try:
        run(command)
    except CommandError as error:
        raise RuntimeError(f"{command[0]} failed on jvm/src. {error}") from error


def _pack(classes: Path, begun: float) -> None:
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    part = TARGET.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(classes.rglob("*.class")):
            # A fixed time makes builds identical; class data archives depend on it.
            jar.writestr(zipfile.ZipInfo(str(path.relative_to(classes))), path.read_bytes())
    # As old as the reading of its sources: one that changed meanwhile is newer.
    os.utime(part, (begun, begun))
    part.replace(TARGET)


def main() -> None:
    """The command line: compile."""
    try:
        compiled = compile_classes()
    except RuntimeError as error:
        sys.exit(str(error))
    if not compiled:
        sys.exit(NO_COMPILER)


if __name__ == "__main__":
    main()
