"""The engine's one key file: clusters' passwords are opened with it where a client is made, and nowhere else.

It is set once, when the process starts, because Spark's sources are made deep inside plans that should not carry secrets.
"""

from pathlib import Path
from typing import Final

from jobs.connections import NO_SECRETS, Secrets

_told: Final[list[Secrets]] = [NO_SECRETS]


def use_key_file(path: str | None) -> None:
    """Open passwords with this file from now on; it may be made later."""
    _told[0] = Secrets(Path(path)) if path else NO_SECRETS


def secrets() -> Secrets:
    """What opens passwords here."""
    return _told[0]
