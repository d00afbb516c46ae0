"""``manage.py rotate_keys``: seals clusters' passwords with a new key; ``--forget-old`` takes the older ones away afterwards."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.sealing import SealError, add_key, keep_newest_key
from weir.clusters.services import reseal_passwords
from weir.runs.services.reconnecting import sealed_with_older_keys


class Command(BaseCommand):
    """For whoever may run commands on the server. The key file stays readable by its owner only, and older keys still open."""

    help = (
        "Put a new key at the top of the key file and seal every password with it. Running jobs that read from such a cluster stop at a "
        "batch's end and go on. When engines have key files of their own: bring the file to them first, then --reseal-only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What is not wanted of the whole, or the last step."""
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--reseal-only", action="store_true", help="make no key: the newest of the file is the new one")
        choice.add_argument("--forget-old", action="store_true", help="take older keys out of the file, when nothing needs them any more")

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
    made = f"The key {add_key(path)} was made. " if is_new else ""
    sealed = reseal_passwords()
    names = f" ({', '.join(sorted(row.name for row in sealed))})" if sealed else ""
    return f"{made}Passwords sealed anew: {len(sealed)}{names}. Older keys stay until --forget-old."


def _forget(path: Path) -> str:
    users = sealed_with_older_keys()
    if users:
        raise CommandError(f"Older keys are still needed by {', '.join(users)}; nothing was taken away.")
    return f"Older keys taken away: {keep_newest_key(path)}."
