"""``manage.py sign_in_link <username>``: prints a link that signs a user in once."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from weir.workspaces.models import User
from weir.workspaces.services.accounts import find_or_create_account
from weir.workspaces.services.one_time_tokens import create_sign_in_link


class Command(BaseCommand):
    """For whoever may run commands on the server: a way in without a password."""

    help = "Prints a link that signs a user in once, within 15 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """The username, and whether it may be new."""
        parser.add_argument("username")
        parser.add_argument("--create", action="store_true", help="make the account if there is none")

    def handle(self, *_: object, username: str, create: bool, **__: object) -> None:
        """Print the link.

        Raises:
            CommandError: there is no such user, or no account can have this name.
        """
        if create:
            try:
                find_or_create_account(username)
            except ValidationError as error:
                raise CommandError(" ".join(error.messages)) from error
        user = User.objects.filter(username=User.normalize_username(username), is_active=True).first()
        if user is None:
            hint = "" if create else " Add --create to make the account."
            raise CommandError(f"Unknown username {username!r}.{hint}")
        self.stdout.write(f"{settings.PUBLIC_URL}{create_sign_in_link(user)}")
