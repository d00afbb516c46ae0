"""``manage.py sign_in_link <username>``: prints a link that signs a user in once."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from weir.workspaces.models import User
from weir.workspaces.services.one_time_tokens import create_sign_in_link


class Command(BaseCommand):
    """For whoever may run commands on the server: a way in without a password."""

    help = "Prints a link that signs a user in once, within 15 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """The username."""
        parser.add_argument("username")

    def handle(self, *_: object, username: str, **__: object) -> None:
        """Print the link.

        Raises:
            CommandError: there is no such user.
        """
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(f"Unknown username {username!r}.")
        self.stdout.write(f"{settings.PUBLIC_URL}{create_sign_in_link(user)}")
