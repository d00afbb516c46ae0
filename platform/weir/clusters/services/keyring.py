"""The key file for clusters' passwords; created when the first password is saved."""

from pathlib import Path

from django.conf import settings

from jobs.base.create_once import create_once
from jobs.encryption import Keyring, add_key, read_keys


def keyring() -> Keyring:
    """The keys of this installation.

    Raises:
        DecryptionError: others may read the file, or it contains no keys.
    """
    path: Path = settings.ENCRYPTION_KEY_FILE
    create_once(path, add_key)
    return read_keys(path)
