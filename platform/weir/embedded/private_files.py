"""Files that only this user can read, from their creation on."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600, whole or not at all: a full disk leaves no empty password.

    Raises:
        OSError: it could not be written; one that was there is as before.
    """
    draft = path.with_name(f"{path.name}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
