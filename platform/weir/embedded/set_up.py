"""Set-up that runs on the system's Python: packages, jars, classes, frontend. What is already done is skipped.

Standard library only.
"""

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

from weir.embedded.jars import JarError, complete, install
from weir.embedded.java_classes import compile_classes, outdated
from weir.embedded.layout import REPOSITORY, Layout, read_layout
from weir.embedded.steps import step

FRONTEND = REPOSITORY / "frontend"


class SetUpError(Exception):
    """A step failed; the message is what to show."""


def packages(layout: Layout, requirements: str) -> None:
    """Install a requirements file into `.venv`, unless that very file (and constraints) is what was installed last."""
    wanted = hashlib.sha256((REPOSITORY / requirements).read_bytes() + (REPOSITORY / "constraints.txt").read_bytes()).hexdigest()
    stamp = layout.venv / f"{requirements}.installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not layout.python.exists():
        with step("Virtual environment"):
            _run([sys.executable, "-m", "venv", str(layout.venv)])
    with step(f"Python packages ({requirements})"):
        _run(
            [
                str(layout.python),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
                requirements,
                "-c",
                "constraints.txt",
            ]
        )
    stamp.write_text(wanted)


def java_packages() -> None:
    """Jars and our own classes."""
    if not complete():
        with step("JVM packages"):
            install()
    if outdated():
        with step("Java classes"):
            compile_classes()


def frontend() -> None:
    """Build the frontend when a source is newer than what was built."""
    if not (FRONTEND / "package.json").exists() or _built() >= _newest_source():
        return
    frontend_packages()
    with step("Frontend"):
        _run(["npm", "exec", "--", "vite", "build", "--logLevel", "error"], FRONTEND)  # types are checked by make check


def frontend_packages() -> None:
    """Install the locked npm packages, unless that lock file is what was installed last."""
    lock = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes()).hexdigest()
    stamp = FRONTEND / "node_modules" / ".weir-installed"
    if stamp.exists() and stamp.read_text() == lock:
        return
    with step("Frontend packages"):
        _run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], FRONTEND)
    stamp.write_text(lock)


def _built() -> float:
    index = FRONTEND / "dist" / "index.html"
    return index.stat().st_mtime if index.exists() else 0.0


def _newest_source() -> float:
    files = [path for folder in ("src", "public") for path in (FRONTEND / folder).rglob("*") if path.is_file()]
    files += [path for path in FRONTEND.iterdir() if path.is_file()]
    return max(path.stat().st_mtime for path in files)


def _run(command: list[str], folder: Path = REPOSITORY) -> None:
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise SetUpError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")


def main() -> None:
    """The command line; ``--development`` also installs what checks and tests need."""
    parser = argparse.ArgumentParser(description="Install and build what Weir runs on")
    parser.add_argument("--development", action="store_true")
    development = parser.parse_args().development
    try:
        packages(read_layout(), "requirements.txt")
        if development:
            packages(read_layout(), "requirements-dev.txt")
            frontend_packages()
        java_packages()
        frontend()
    except (SetUpError, JarError, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
