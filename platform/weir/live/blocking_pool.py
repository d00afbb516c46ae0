"""Threads for blocking work (database, brokers), so that it does not block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

WORKERS: Final = 6


class BlockingPool:
    """A small thread pool, so that a slow broker or a long snapshot does not delay HTTP requests."""

    def __init__(self, workers: int = WORKERS) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="live")

    async def run(self, call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a call on a thread, with usable database connections."""

        def work() -> T:
            close_old_connections()
            try:
                return call(*arguments, **named)
            finally:
                close_old_connections()

        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Start no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)
