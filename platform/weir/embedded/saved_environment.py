"""The variables that reach the running system from another shell: ``environment`` in the data folder."""

import os
from pathlib import Path

FILE = "environment"


def save(data: Path, variables: dict[str, str]) -> None:
    """Write them; mode 0600, for Valkey's password.

    Args:
        data: the data folder.
        variables: name → value, without line breaks.
    """
    with os.fdopen(os.open(data / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in variables.items())


def saved(data: Path) -> dict[str, str]:
    """What the last start wrote; empty before the first one."""
    try:
        lines = (data / FILE).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line)
