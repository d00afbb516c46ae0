"""Ends connections whose person lost what they watch with: session, token, membership or role."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db import DatabaseError

from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.rights import Rights, Standing, read_rights
from weir.workspaces.models import Role

_LOG: Final = logging.getLogger(__name__)

CHECK_S: Final = 2.0
BLIND_S: Final = 30.0  # rights that could not be read for so long are no rights

SIGNED_OUT: Final = 4401
ROLE_LOST: Final = 4403
TRY_AGAIN: Final = 1013

Needs = frozenset[tuple[int, Role]]


@dataclass(frozen=True, slots=True)
class _Watched:
    standing: Standing
    needs: Callable[[], Needs]


class RightsMonitor:
    """Looks every `CHECK_S` at the rights of all connections of this process, with a few queries for all together.

    A thread of its own: a broker that hangs occupies those of the hub.
    """

    def __init__(self) -> None:
        self._threads = BlockingPool(workers=1)
        self._watched: dict[Connection, _Watched] = {}
        self._seen_at = asyncio.get_running_loop().time()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def enter(self, connection: Connection, standing: Standing, needs: Callable[[], Needs]) -> None:
        """Watch over a connection.

        Args:
            connection: is ended when its rights are.
            standing: what it rests on.
            needs: workspace ids with the role that is needed there, of what it watches at the moment.
        """
        self._watched[connection] = _Watched(standing, needs)

    def leave(self, connection: Connection) -> None:
        """It is gone."""
        self._watched.pop(connection, None)

    def close(self) -> None:
        """Stop."""
        self._task.cancel()
        self._threads.close()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_S)
            try:
                await self._look()
            except Exception:  # noqa: BLE001 - a defect must not end the watch over everybody; the trace is in the log
                _LOG.exception("rights could not be looked at")

    async def _look(self) -> None:
        # What is watched from now on was allowed later than what is read next may say.
        asked = {connection: (one.standing, one.needs()) for connection, one in self._watched.items()}
        now = asyncio.get_running_loop().time()
        if not asked:
            self._seen_at = now
            return
        try:
            rights = await self._threads.run(read_rights, {standing for standing, _ in asked.values()})
        except DatabaseError as error:
            _LOG.warning("rights could not be read: %s", error)
            if now - self._seen_at > BLIND_S:
                for connection in asked:
                    connection.end(TRY_AGAIN, "UNAVAILABLE", "Your permissions are temporarily unavailable. Reconnect.")
            return
        self._seen_at = now
        for connection, (standing, needs) in asked.items():
            _end_without(rights, connection, standing, needs)


def _end_without(rights: Rights, connection: Connection, standing: Standing, needs: Needs) -> None:
    if standing not in rights.standing:
        connection.end(SIGNED_OUT, "SIGNED_OUT", "The session or token expired. Sign in again.")
    elif not all(rights.covers(standing.user_id, workspace_id, role) for workspace_id, role in needs):
        connection.end(ROLE_LOST, "ROLE_LOST", "Your role no longer allows this subscription.")
