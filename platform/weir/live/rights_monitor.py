"""Ends connections whose user lost the session, token, membership or role that they need, those of links
that ended, and subscriptions to topics that are no longer their workspace's and to jobs that are deleted.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db import DatabaseError

from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection, Subscription
from weir.live.rights import Need, Rights, Standing, read_rights

_LOG: Final = logging.getLogger(__name__)

CHECK_INTERVAL_S: Final = 2.0
MAX_BLIND_S: Final = 30.0  # connections end when rights could not be read for so long

SIGNED_OUT: Final = 4401
ROLE_LOST: Final = 4403
TRY_AGAIN: Final = 1013

_SESSION_ENDED: Final = "The session or token expired. Sign in again."
_LINK_ENDED: Final = "The link has expired or was revoked."
_NOT_ALLOWED: Final = "Your role no longer allows this subscription."
_NOT_SHOWN: Final = "The dashboard no longer shows this result."
TOPIC_LOST: Final = "Topic or stream not found, or you no longer have access."
_JOB_LOST: Final = "The job was deleted."

Needs = Mapping[Subscription, Need]


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
            needs: returns what its current subscriptions need.
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
                await self._check_or_end()
            except Exception:  # noqa: BLE001 - a defect must not end the monitoring of all connections; the traceback is in the log
                _LOG.exception("rights could not be checked")

    async def _check_or_end(self) -> None:
        """Check once. A database that hangs answers with no error: connections end while it is waited for."""
        check = asyncio.get_running_loop().create_task(self._check())
        try:
            while not (await asyncio.wait({check}, timeout=CHECK_INTERVAL_S))[0]:
                self._end_if_blind()
        finally:
            check.cancel()
        await check

    async def _check(self) -> None:
        # Subscriptions from now on may have been allowed after the rights below were read.
        checked = {connection: (one.standing, one.needs()) for connection, one in self._watched.items()}
        now = asyncio.get_running_loop().time()
        if not checked:
            self._seen_at = now
            return
        try:
            rights = await self._pool.run(
                read_rights,
                {standing for standing, _ in checked.values()},
                {need.reading for _, needs in checked.values() for need in needs.values() if need.reading},
                {need.job_id for _, needs in checked.values() for need in needs.values() if need.job_id},
            )
        except DatabaseError as error:
            _LOG.warning("rights could not be read: %s", error)
            self._end_if_blind()
            return
        except Exception:  # noqa: BLE001 - whatever keeps rights from being read, they do not last for ever
            _LOG.exception("rights could not be read")
            self._end_if_blind()
            return
        self._seen_at = now
        for connection, (standing, needs) in checked.items():
            _end_without(rights, connection, standing, needs)

    def _end_if_blind(self) -> None:
        """End connections whose rights could not be read for long."""
        if asyncio.get_running_loop().time() - self._seen_at > MAX_BLIND_S:
            for connection in list(self._watched):
                connection.end(
                    TRY_AGAIN, "UNAVAILABLE", "Your permissions are temporarily unavailable. Reconnect."
                )


def _end_without(rights: Rights, connection: Connection, standing: Standing, needs: Needs) -> None:
    if standing not in rights.standing:
        message = _LINK_ENDED if standing.link_id is not None else _SESSION_ENDED
        connection.end(SIGNED_OUT, "SIGNED_OUT", message)
    elif not all(rights.allow(standing, need) for need in needs.values()):
        message = _NOT_SHOWN if standing.link_id is not None else _NOT_ALLOWED
        connection.end(ROLE_LOST, "ROLE_LOST", message)
    else:
        for subscription, need in needs.items():
            if not rights.find(need):
                connection.drop(subscription, "NOT_FOUND", TOPIC_LOST if need.reading else _JOB_LOST)
