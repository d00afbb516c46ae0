"""``manage.py rotate_keys``: encrypts clusters' passwords with a new key; ``--drop-old`` removes
the older keys afterwards.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.encryption import DecryptionError, add_key, drop_old_keys
from weir.clusters.services.passwords import rotate_passwords
from weir.runs.services.connection_rollout import encrypted_with_older_keys


class Command(BaseCommand):
    """Rotates the encryption key. The key file stays readable by its owner only, and
    older keys still decrypt.
    """

    help = (
        "Adds a new key to the key file and encrypts every cluster password with it. "
        "Running jobs that read from these clusters restart between batches. "
        "If engines have key files of their own, copy the file to them first, then run --rotate-only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options of the single steps."""
        steps = parser.add_mutually_exclusive_group()
        steps.add_argument(
            "--rotate-only", action="store_true", help="don't create a key; use the newest key of the file"
        )
        steps.add_argument(
            "--drop-old", action="store_true", help="remove older keys that are no longer used"
        )

    def handle(self, *_: object, rotate_only: bool, drop_old: bool, **__: object) -> None:
        """Rotate the keys and print the result.

        Raises:
            CommandError: the key file cannot be used, a password cannot be decrypted, something
                still needs an older key, or another rotation runs.
        """
        path: Path = settings.ENCRYPTION_KEY_FILE
        try:
            with _alone(path):
                self.stdout.write(_drop(path) if drop_old else _rotate(path, is_new=not rotate_only))
        except DecryptionError as error:
            raise CommandError(str(error)) from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one rotation at a time work on a key file: a second one would write it without the key that the
    first has just made, and what was encrypted with that would be lost.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError("Another rotation is running. Try again when it is over.") from error
        yield


def _rotate(path: Path, *, is_new: bool) -> str:
    created = f"Key {add_key(path)} created. " if is_new else ""
    rotated = rotate_passwords()
    names = f" ({', '.join(sorted(row.name for row in rotated))})" if rotated else ""
    encrypted = f"Passwords encrypted with the newest key: {len(rotated)}{names}."
    return f"{created}{encrypted} Older keys stay until --drop-old."


def _drop(path: Path) -> str:
    users = encrypted_with_older_keys()
    if users:
        raise CommandError(f"Older keys are still used by {', '.join(users)}; none were removed.")
    return f"Older keys removed: {drop_old_keys(path)}."
