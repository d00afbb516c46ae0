"""``manage.py rotate_keys``: encrypts clusters' passwords with a new key; ``--drop-old`` removes
the older keys afterwards.
"""

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
            CommandError: the key file cannot be used, a password cannot be decrypted, or something
                still needs an older key.
        """
        try:
            self.stdout.write(
                _drop(settings.ENCRYPTION_KEY_FILE)
                if drop_old
                else _rotate(settings.ENCRYPTION_KEY_FILE, is_new=not rotate_only)
            )
        except DecryptionError as error:
            raise CommandError(str(error)) from error


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
