"""Tells Weir that the checkpoints have been moved to another folder or store."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from weir.runs.services.checkpoint_folder import checkpoint_root
from weir.runs.services.moved_checkpoints import move_from


class Command(BaseCommand):
    """`manage.py move_checkpoints --from file:///old/checkpoints`."""

    help = "After all checkpoints were moved: look for them below CHECKPOINT_URL from now on."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where they were."""
        parser.add_argument(
            "--from", dest="old", metavar="URL", required=True, help="the former CHECKPOINT_URL"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        """Move, and say how many there were."""
        moved = move_from(options["old"])
        what = "generation has its checkpoint" if moved == 1 else "generations have their checkpoints"
        self.stdout.write(f"{moved} {what} below {checkpoint_root()} now.")
