"""Python packages into `.venv`: with uv where it has a wheel for this machine, else with pip. Standard library only."""

import hashlib
import os
import shlex
import sys

from weir.embedded.commands import CommandError, Commands
from weir.embedded.layout import REPOSITORY, Layout
from weir.embedded.steps import step

CONSTRAINTS = REPOSITORY / "constraints.txt"
UV_REQUIREMENT = REPOSITORY / "requirements-uv.txt"
# PySpark has no wheel. Its jars are compressed already: compressing them once more, and back, takes longer than the download.
UNCOMPRESSED = "pyspark:--build-option=--compression=stored"
# What pip may be configured with, and how uv is told the same; any other setting of an index means that pip does it.
OPTIONS = {"index-url": "--default-index", "extra-index-url": "--index", "find-links": "--find-links"}
IGNORED = {
    "cache-dir", "default-timeout", "timeout", "retries", "disable-pip-version-check", "root-user-action", "break-system-packages",
    "no-input", "progress-bar", "quiet", "verbose", "require-virtualenv", "prefer-binary", "no-warn-script-location", "no-cache-dir",
}  # fmt: skip


def install_packages(layout: Layout, requirements: str, commands: Commands) -> None:
    """Install a requirements file, unless that very file (and constraints) is what was installed last.

    Raises:
        CommandError: pip failed; its output is the message.
    """
    wanted = hashlib.sha256((REPOSITORY / requirements).read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()
    stamp = layout.venv / f"{requirements}.installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not layout.python.exists():
        with step("Virtual environment"):
            commands.run([sys.executable, "-m", "venv", str(layout.venv)])
    with step(f"Python packages ({requirements})"):
        if not _install_with_uv(layout, requirements, commands):
            _pip(layout, commands, "-r", requirements, "-c", str(CONSTRAINTS))
    stamp.write_text(wanted)


def _pip(layout: Layout, commands: Commands, *arguments: str) -> None:
    commands.run([str(layout.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments])


def _install_with_uv(layout: Layout, requirements: str, commands: Commands) -> bool:
    """True when uv has installed all; False where pip has to."""
    uv = layout.venv / "bin" / "uv"
    try:
        configured = commands.run([str(layout.python), "-m", "pip", "config", "list"])
        found = uv_options(configured)
        if found is None:
            return False
        options, variables = found
        _pip(layout, commands, "--only-binary", ":all:", "-r", str(UV_REQUIREMENT))
        command = [str(uv), "pip", "install", "--python", str(layout.python), "--quiet", *options]
        command += ["--config-settings-package", UNCOMPRESSED, "-r", requirements, "-c", str(CONSTRAINTS)]
        commands.run(command, variables=variables)
    except CommandError:  # no wheel for this machine, or something that only pip copes with: pip's own error is shown then
        return False
    return True


def uv_options(configured: str) -> tuple[list[str], dict[str, str]] | None:
    """How uv is told what pip is configured with.

    Args:
        configured: what ``pip config list`` prints.

    Returns:
        Options and environment variables; None where pip has a setting that uv has no equal of.
    """
    options: list[str] = []
    variables: dict[str, str] = {}
    settings: dict[str, str] = {}
    for line in configured.splitlines():  # a variable's line stands before the same setting of a file, and goes first with pip, too
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in ("global", "install", ":env:"):
            settings.setdefault(name, _unquoted(value))
    for name, value in settings.items():
        if name in OPTIONS:
            options += [part for each in value.split() for part in (OPTIONS[name], each)]
        elif name == "cert":
            variables["SSL_CERT_FILE"] = value
        elif name not in IGNORED:
            return None
    return options, {name: value for name, value in variables.items() if name not in os.environ}


def _unquoted(value: str) -> str:
    return " ".join(shlex.split(value.replace("\\n", " ")))
