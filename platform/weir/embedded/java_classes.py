"""Compiles the Java classes of `jvm/src` into `jvm/build/weir.jar`. Standard library only.

python -m weir.embedded.java_classes
"""

import hashlib
import shutil
import sys
import tempfile
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
    "weir.consumers.BoundAnswers",
    "weir.consumers.FetchesAsk",
    "weir.net.BindServers",
    "weir.records.RowsOfRecords",
    "weir.watermarks.UncompiledPredicates",
)
NO_COMPILER = "javac isn't installed. Install a JDK 17 or newer."


def outdated() -> bool:
    """True when there is no jar, or one of other sources or against other libraries than are here now."""
    stamp = _stamp()
    return not TARGET.exists() or not stamp.exists() or stamp.read_text() != _digest()


def libraries() -> list[Path]:
    """Folders of what the sources compile against: PySpark's jars, and the sets `patterns` and `spark`."""
    of_spark = next((REPOSITORY / ".venv" / "lib").glob("python3.*/site-packages/pyspark/jars"))
    return [of_spark, jars("patterns"), jars("spark")]


def class_path() -> str:
    """The jars of `libraries`."""
    return ":".join(f"{folder}/*" for folder in libraries())


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
    digest = _digest()  # before they are read: a source that changes meanwhile makes the jar outdated
    with tempfile.TemporaryDirectory() as classes:
        run = (commands or Commands()).run
        sources = map(str, (*_java(SOURCES), *_java(STUBS)))
        _run(run, ["javac", "--release", "17", "-nowarn", "-cp", path, "-d", classes, *sources])
        for stub in _java(STUBS):
            (Path(classes) / stub.relative_to(STUBS)).with_suffix(".class").unlink()
        for rewriter in _REWRITERS:
            _run(run, ["java", "-cp", f"{classes}:{path}", rewriter, classes])
        _pack(Path(classes))
    _stamp().write_text(digest)
    return True


def _stamp() -> Path:
    return TARGET.with_suffix(".digest")


def _digest() -> str:
    """Of the sources, and of the names of the libraries' jars, which have their versions."""
    parts = [
        (folder.name, str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest())
        for folder in (SOURCES, STUBS)
        for path in _java(folder)
    ]
    names = sorted(jar.name for folder in libraries() for jar in folder.glob("*.jar"))
    return hashlib.sha256(repr((parts, names)).encode()).hexdigest()


def _java(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.java"))


def _run(run: Callable[[list[str]], str], command: list[str]) -> None:
    try:
        run(command)
    except CommandError as error:
        raise RuntimeError(f"{command[0]} failed on jvm/src. {error}") from error


def _pack(classes: Path) -> None:
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    part = TARGET.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(classes.rglob("*.class")):
            # A fixed time makes builds identical; class data archives depend on it.
            jar.writestr(zipfile.ZipInfo(str(path.relative_to(classes))), path.read_bytes())
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
