"""Key files: made once, readable by their owner only."""

import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from jobs.base.create_once import create_once


def private_folder(path: Path) -> None:
    """Make a folder that only this user may enter; one that is there stays as it is.

    Folders above it are made with the usual rights. So the data folder has to be made by this
    before anything inside it is.
    """
    path.mkdir(parents=True, exist_ok=True, mode=0o700)


def key_from_file(path: Path) -> str:
    """The text of a key file; a missing one is made with 64 random characters and mode 0600.

    Raises:
        ImproperlyConfigured: the file is empty.
    """
    create_once(path, _write)
    key = path.read_text(encoding="ascii").strip()
    if not key:
        raise ImproperlyConfigured(f"{path} is empty. Delete it, and a new key is made.")
    return key


def _write(draft: Path) -> None:
    draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
