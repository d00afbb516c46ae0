"""Two connections to the database, one of which waits for the other."""

import time
from concurrent.futures import Future
from typing import Any

from django.db import connection


def until_it_waits(second: "Future[Any]") -> None:
    """Until the other connection waits for a lock. SQLite lets only one write, and says nothing of others."""
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while connection.vendor == "postgresql" and not second.done():
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
            assert time.monotonic() < deadline, "the second person never waited"
            time.sleep(0.02)
