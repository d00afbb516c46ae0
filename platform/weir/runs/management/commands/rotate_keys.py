"""``manage.py rotate_keys``: seals clusters' passwords with a new key; ``--forget-old`` takes the older ones away afterwards."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.sealing import SealError, add_key, keep_newest_key
from weir.clusters.services import reseal_passwords
from weir.runs.services.connection_rollout import sealed_with_older_keys


class Command(BaseCommand):
    """For whoever may run commands on the server. The key file stays readable by its owner only, and older keys still open."""

    help = (
        "Adds a new key to the key file and encrypts every cluster password with it. Running jobs that read from these clusters "
        "restart between batches. If engines have key files of their own, copy the file to them first, then run --reseal-only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What is not wanted of the whole, or the last step."""
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--reseal-only", action="store_true", help="don't create a key; use the newest key of the file")
        choice.add_argument("--forget-old", action="store_true", help="remove older keys that are no longer used")

    def handle(self, *_: object, reseal_only: bool, forget_old: bool, **__: object) -> None:
        """Do it and say what was done.

        Raises:
            CommandError: the key file cannot be used, a password does not open, or something still needs an older key.
        """
        try:
            self.stdout.write(_forget(settings.SEAL_KEY_FILE) if forget_old else _rotate(settings.SEAL_KEY_FILE, is_new=not reseal_only))
        except SealError as error:
            raise CommandError(str(error)) from error


def _rotate(path: Path, *, is_new: bool) -> str:
    made = f"Key {add_key(path)} created. " if is_new else ""
    sealed = reseal_passwords()
    names = f" ({', '.join(sorted(row.name for row in sealed))})" if sealed else ""
    return f"{made}Passwords encrypted with the newest key: {len(sealed)}{names}. Older keys stay until --forget-old."


def _forget(path: Path) -> str:
    users = sealed_with_older_keys()
    if users:
        raise CommandError(f"Older keys are still used by {', '.join(users)}; none were removed.")
    return f"Older keys removed: {keep_newest_key(path)}."
