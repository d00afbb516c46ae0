"""The channel alerts: what fires in a workspace, sent again when it changes. Ids and states; titles, rows and
history are REST's.
"""

import logging
from collections import defaultdict
from typing import Any, Final

from django.db import DatabaseError

from weir.alerts.models import Alert
from weir.alerts.services.queries import newest_firing, open_counts
from weir.live.blocking_pool import BlockingPool
from weir.live.latest_subscription import LatestSubscription
from weir.live.lookups import micros

_LOG: Final = logging.getLogger(__name__)
MAX_LISTED: Final = 200


class AlertsChannel:
    """Reads each subscribed workspace from the database every two seconds, four queries each."""

    def __init__(self, pool: BlockingPool) -> None:
        self._pool = pool
        self._watching: defaultdict[int, set[LatestSubscription]] = defaultdict(set)

    async def subscribe(self, subscription: LatestSubscription) -> None:
        """Serve a subscription."""
        self._watching[subscription.workspace_id].add(subscription)
        await self._read(subscription.workspace_id)

    async def tick(self) -> None:
        """Read the subscribed workspaces again."""
        for workspace_id, watching in list(self._watching.items()):
            watching -= {subscription for subscription in watching if subscription.closed}
            if not watching:
                del self._watching[workspace_id]
                continue
            await self._read(workspace_id)

    async def _read(self, workspace_id: int) -> None:
        try:
            body = await self._pool.run(_body, workspace_id)
        except DatabaseError as error:
            _LOG.info("alerts of workspace %s: %s", workspace_id, error)
            return
        for subscription in self._watching[workspace_id]:
            subscription.send("alerts", "", body)


def _body(workspace_id: int) -> dict[str, Any]:
    counts = open_counts(workspace_id)
    newest = Alert.objects.filter(workspace=workspace_id).order_by("-changed_at")
    return {
        "changed_us": micros(newest.values_list("changed_at", flat=True).first()),
        "pending": counts.get(Alert.State.PENDING, 0),
        "firing": counts.get(Alert.State.FIRING, 0),
        "open": [
            {
                "alert_id": alert.pk,
                "job_id": alert.job_id,
                "severity": alert.severity,
                "fired_us": micros(alert.fired_at),
                "acknowledged": alert.acknowledged_at is not None,
                "silenced": alert.silenced,
            }
            for alert in newest_firing(workspace_id, MAX_LISTED)
        ],
    }
