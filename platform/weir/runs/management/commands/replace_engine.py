"""Starts an engine again without interrupting its jobs, as after an upgrade."""

import time
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from weir.runs.models import Engine
from weir.runs.services.handover import hand_over
from weir.workspaces.errors import ServiceError

_POLL_S: Final = 0.5


class Command(BaseCommand):
    """`manage.py replace_engine shared-1`."""

    help = "Move an engine's runs to the standby engine, then start it again as the next standby."

    def add_arguments(self, parser: CommandParser) -> None:
        """The engine's id, as Admin shows it, and whether to wait."""
        parser.add_argument("engine", help="ID of a shared engine, e.g. shared-1")
        parser.add_argument("--wait", type=float, default=0, help="seconds to wait until all runs have moved")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        """Begin, and wait where asked."""
        engine_id = options["engine"]
        try:
            successor = hand_over(engine_id)
        except ServiceError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"The runs of {engine_id} move to {successor.id} as their batches end.")
        deadline = time.monotonic() + options["wait"]
        while Engine.objects.filter(pk=engine_id, successor__isnull=False).exists():
            if time.monotonic() >= deadline:
                if options["wait"]:
                    raise CommandError("Not all runs have moved yet; they go on moving.")
                return
            time.sleep(_POLL_S)
        if not Engine.objects.filter(pk=engine_id, standby=True).exists():
            raise CommandError(
                f"The hand-over was given up: {successor.id} is gone. The runs go on at {engine_id}; "
                "try again when a standby is ready."
            )
        self.stdout.write("All runs have moved.")
