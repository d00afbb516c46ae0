"""Running processes as a user without rights, where the tests run as root."""

import os
import shutil
from pathlib import Path
from typing import Final

NAMES: Final = ("postgres", "nobody")


def other_user() -> str | None:
    """The user's name; None where the tests do not run as root."""
    if os.geteuid() != 0:
        return None
    passwd = Path("/etc/passwd").read_text()
    return next(name for name in NAMES if f"\n{name}:" in passwd)


def as_other_user() -> list[str]:
    """What goes before a command."""
    name = other_user()
    return [] if name is None else ["setpriv", "--reuid", name, "--regid", "nogroup", "--clear-groups"]


def hand_over(path: Path) -> None:
    """Make the user the owner of a file or folder."""
    name = other_user()
    if name is not None:
        shutil.chown(path, name)
