"""Shows the hosts that start engines, and gives the engines of one that is gone to the others."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from weir.runs.models import Engine, EngineHost
from weir.runs.services.engine_hosts import SILENT_AFTER, HostLoad, forget_host, host_loads
from weir.workspaces.errors import ServiceError


class Command(BaseCommand):
    """`manage.py engine_hosts`, and `manage.py engine_hosts --forget engines.host-2`."""

    help = "Show the hosts that start engines, with their load."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which host is gone."""
        parser.add_argument(
            "--forget",
            metavar="QUEUE",
            help="it is gone for good and its processes have ended: move its engines to the others",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        """Move where asked, then list."""
        if options["forget"]:
            try:
                moved = forget_host(options["forget"])
            except ServiceError as error:
                raise CommandError(error.detail) from error
            self.stdout.write(f"Moved to other hosts: {', '.join(moved) or 'no engine'}.")
        now = timezone.now()
        loads = {load.queue: load for load in host_loads(now)}
        for host in EngineHost.objects.order_by("queue"):
            count = Engine.objects.filter(host_queue=host.queue, should_run=True).count()
            engines = f"{count} engine{'' if count == 1 else 's'}"
            heard = f"heard {host.heard_at:%Y-%m-%d %H:%M:%S} UTC"
            state = _state(host, loads.get(host.queue), now)
            self.stdout.write(f"{host.queue}: {engines}, {state}, {heard}")


def _state(host: EngineHost, load: HostLoad | None, now: datetime) -> str:
    if load is not None:
        return f"{load.used:.1f} of {load.cores:.0f} cores in use"
    if now - host.heard_at >= SILENT_AFTER:
        return "silent, takes no engine"
    return "does not see the checkpoints of the others (CHECKPOINT_URL), takes no engine"
