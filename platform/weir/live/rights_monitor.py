"""Ends connections whose user lost the session, token, membership or role that they need."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db import DatabaseError

from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.rights import Rights, Standing, read_rights
from weir.workspaces.roles import Right

_LOG: Final = logging.getLogger(__name__)

CHECK_INTERVAL_S: Final = 2.0
MAX_BLIND_S: Final = 30.0  # connections end when rights could not be read for so long

SIGNED_OUT: Final = 4401
ROLE_LOST: Final = 4403
TRY_AGAIN: Final = 1013

Needs = frozenset[tuple[int, Right]]


@dataclass(frozen=True, slots=True)
class _Watched:
    standing: Standing
    needs: Callable[[], Needs]


class RightsMonitor:
    """Checks the rights of all connections of this process every `CHECK_INTERVAL_S`, with a few
    queries for all together.

    It has its own thread, because an unresponsive broker may occupy those of the hub.
    """

    def __init__(self) -> None:
        self._pool = BlockingPool(workers=1)
        self._watched: dict[Connection, _Watched] = {}
        self._seen_at = asyncio.get_running_loop().time()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def add(self, connection: Connection, standing: Standing, needs: Callable[[], Needs]) -> None:
        """Monitor a connection.

        Args:
            connection: ended when its rights end.
            standing: its credentials.
            needs: returns workspace ids with the role that its current subscriptions need there.
        """
        self._watched[connection] = _Watched(standing, needs)

    def remove(self, connection: Connection) -> None:
        """Stop monitoring a connection."""
        self._watched.pop(connection, None)

    def close(self) -> None:
        """Stop."""
        self._task.cancel()
        self._pool.close()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            try:
                await self._check()
            except Exception:  # noqa: BLE001 - a defect must not end the monitoring of all connections; the traceback is in the log
                _LOG.exception("rights could not be checked")

    async def _check(self) -> None:
        # Subscriptions from now on may have been allowed after the rights below were read.
        checked = {connection: (one.standing, one.needs()) for connection, one in self._watched.items()}
        now = asyncio.get_running_loop().time()
        if not checked:
            self._seen_at = now
            return
        try:
            rights = await self._pool.run(read_rights, {standing for standing, _ in checked.values()})
        except DatabaseError as error:
            _LOG.warning("rights could not be read: %s", error)
            if now - self._seen_at > MAX_BLIND_S:
                for connection in checked:
                    connection.end(
                        TRY_AGAIN, "UNAVAILABLE", "Your permissions are temporarily unavailable. Reconnect."
                    )
            return
        self._seen_at = now
        for connection, (standing, needs) in checked.items():
            _end_without(rights, connection, standing, needs)


def _end_without(rights: Rights, connection: Connection, standing: Standing, needs: Needs) -> None:
    if standing not in rights.standing:
        connection.end(SIGNED_OUT, "SIGNED_OUT", "The session or token expired. Sign in again.")
    elif not all(rights.may(standing.user_id, workspace_id, right) for workspace_id, right in needs):
        connection.end(ROLE_LOST, "ROLE_LOST", "Your role no longer allows this subscription.")
