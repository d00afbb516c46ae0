"""``manage.py create_workspace <slug> --owner <username>``: makes a workspace with its owner."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from weir.workspaces.errors import ConflictError
from weir.workspaces.models import SLUG
from weir.workspaces.services.accounts import find_or_create_account
from weir.workspaces.services.members import create_workspace
from weir.workspaces.services.one_time_tokens import create_sign_in_link


class Command(BaseCommand):
    """For whoever may run commands on the server: no page makes a workspace."""

    help = "Makes a workspace, with an account of its owner if there is none, and prints a sign-in link."

    def add_arguments(self, parser: CommandParser) -> None:
        """The workspace and its first owner."""
        parser.add_argument("slug", help="stands in addresses: lowercase letters, digits and -")
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument("--name", default="", help="as pages show it; the slug if not given")

    def handle(self, *_: object, slug: str, owner: str, name: str, **__: object) -> None:
        """Make the workspace and print the link.

        Raises:
            CommandError: the slug is taken or invalid, or the owner can't have this name or may not sign in.
        """
        try:
            SLUG(slug)
            with transaction.atomic():
                user = find_or_create_account(owner)
                if not user.is_active:
                    raise CommandError(f"Unknown username {owner!r}.")
                create_workspace(slug, name or slug, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except ConflictError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{settings.PUBLIC_URL}{create_sign_in_link(user)}")
