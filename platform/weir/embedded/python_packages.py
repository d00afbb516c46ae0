"""Installs Python packages into `.venv`, with uv or, if that fails, with pip. Standard library only."""

import hashlib
import os
import shlex
import sys

from weir.embedded.commands import CommandError, Commands
from weir.embedded.layout import REPOSITORY, Layout
from weir.embedded.progress_output import step

CONSTRAINTS = REPOSITORY / "constraints.txt"
UV_REQUIREMENT = REPOSITORY / "requirements-uv.txt"
# PySpark's wheel is built here. Its jars are compressed already, and compressing them again takes longer than
# the download.
UNCOMPRESSED = "pyspark:--build-option=--compression=stored"
# pip setting → uv option. With any other setting that is not ignored, pip installs the packages.
OPTIONS = {"index-url": "--default-index", "extra-index-url": "--index", "find-links": "--find-links"}
IGNORED = {
    "cache-dir", "default-timeout", "timeout", "retries", "disable-pip-version-check", "root-user-action",
    "break-system-packages", "no-input", "progress-bar", "quiet", "verbose", "require-virtualenv",
    "prefer-binary", "no-warn-script-location", "no-cache-dir",
}  # fmt: skip


def install_packages(layout: Layout, requirements: str, commands: Commands) -> None:
    """Install a requirements file, unless this file and these constraints were installed last.

    Raises:
        CommandError: pip failed; the message is its output.
    """
    digest = hashlib.sha256((REPOSITORY / requirements).read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()
    stamp = layout.venv / f"{requirements}.installed"
    if not _works(layout, commands):
        with step("Virtual environment"):
            commands.run([sys.executable, "-m", "venv", "--clear", str(layout.venv)])
    elif stamp.exists() and stamp.read_text() == digest:
        return
    with step(f"Python packages ({requirements})"):
        if not _install_with_uv(layout, requirements, commands):
            _pip(layout, commands, "-r", requirements, "-c", str(CONSTRAINTS))
    stamp.write_text(digest)


def _works(layout: Layout, commands: Commands) -> bool:
    """False without a virtual environment, for one whose making was broken off, and for one whose Python has
    become another version.
    """
    try:
        commands.run([str(layout.python), "-c", "import pip"])
    except (CommandError, OSError):
        return False
    return True


def _pip(layout: Layout, commands: Commands, *arguments: str) -> None:
    commands.run(
        [str(layout.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    )


def _install_with_uv(layout: Layout, requirements: str, commands: Commands) -> bool:
    """Install with uv; False when pip has to."""
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
    except (
        CommandError
    ):  # no wheel of uv for this machine, or a case only pip handles; pip reports its own error
        return False
    return True


def uv_options(configured: str) -> tuple[list[str], dict[str, str]] | None:
    """Translate pip's configuration to uv.

    Args:
        configured: output of ``pip config list``.

    Returns:
        Options and environment variables; None when a setting has no equivalent in uv.
    """
    options: list[str] = []
    variables: dict[str, str] = {}
    for name, value in _settings_of_install(configured).items():
        if name in OPTIONS:
            options += [part for each in value.split() for part in (OPTIONS[name], each)]
        elif name == "cert":
            variables["SSL_CERT_FILE"] = value
        elif name not in IGNORED:
            return None
    return options, {name: value for name, value in variables.items() if name not in os.environ}


def _settings_of_install(configured: str) -> dict[str, str]:
    """The settings that ``pip install`` uses, by name."""
    settings: dict[str, str] = {}
    # pip lists environment variables before the same settings of files, and they take precedence.
    for line in configured.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in ("global", "install", ":env:"):
            settings.setdefault(name, _unquoted(value))
    return settings


def _unquoted(value: str) -> str:
    return " ".join(shlex.split(value.replace("\\n", " ")))
