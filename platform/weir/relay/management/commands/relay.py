"""``manage.py relay``: reports and results → database, until it is told to stop."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from jobs.base.garbage import keep_loaded
from weir.relay.service import Relay


class Command(BaseCommand):
    """Runs the relay in the foreground; SIGTERM and SIGINT end it after the flush under way."""

    help = "Stores weir.reports and the result topics in the database."
    # They would load the web interface, which doubles the time that the relay takes to start.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        """Run until a signal comes."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        relay = Relay(stop)
        keep_loaded()
        relay.run()
