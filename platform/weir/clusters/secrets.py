"""The key file that seals clusters' passwords: made when the first one is saved."""

from pathlib import Path

from django.conf import settings

from jobs.base.create_once import create_once
from jobs.sealing import Keyring, add_key, read_keys


def keyring() -> Keyring:
    """The keys of this installation.

    Raises:
        SealError: others may read the file, or it holds no keys.
    """
    path: Path = settings.SEAL_KEY_FILE
    create_once(path, add_key)
    return read_keys(path)
