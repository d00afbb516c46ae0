"""Files that only this user can read, from their creation on."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
