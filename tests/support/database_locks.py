"""Two connections to the database, one of which waits for the other."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connection, connections, transaction

from tests.support.patience import PATIENCE

Found = TypeVar("Found")


def beside(first: Callable[[], object], second: Callable[[], Found]) -> Found:
    """What a second connection finds that begins while what the first one does is not committed."""

    def other() -> Found:
        try:
            return second()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            found = pool.submit(other)
            until_it_waits(found)
        return found.result(60)


def until_it_waits(second: "Future[Any]") -> None:
    """Until the other connection waits for a lock. SQLite lets only one write, and says nothing of others."""
    deadline = time.monotonic() + 30 * PATIENCE
    with connection.cursor() as cursor:
        while connection.vendor == "postgresql" and not second.done():
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
            assert time.monotonic() < deadline, "the second person never waited"
            time.sleep(0.02)
