"""The key file for clusters' passwords; created when the first password is saved."""

from pathlib import Path

from django.conf import settings

from jobs.base.create_once import create_once
from jobs.encryption import DecryptionError, Keyring, add_key, read_keys


def keyring() -> Keyring:
    """The keys of this installation.

    Raises:
        DecryptionError: others may read the file, or it contains no keys.
    """
    path: Path = settings.ENCRYPTION_KEY_FILE
    create_once(path, add_key)
    return read_keys(path)


def rotated(ring: Keyring, envelope: str, context: str, owner: str) -> str:
    """An envelope, encrypted with the newest key.

    Args:
        ring: the keys.
        envelope: of a secret.
        context: that it was encrypted for.
        owner: whose secret it is, in words; the error names it, so that it can be entered again or deleted.

    Raises:
        DecryptionError: it does not open.
    """
    try:
        return ring.rotate(envelope, context)
    except DecryptionError as error:
        raise DecryptionError(f"{owner}: {error}. Enter it again, or delete what it belongs to.") from error
