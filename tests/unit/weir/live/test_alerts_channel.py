"""What browsers are told of the alerts of a workspace."""

from datetime import timedelta
from typing import Any, cast

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from weir.alerts.models import Alert, AlertRule
from weir.live.alerts_channel import MAX_LISTED, AlertsChannel
from weir.live.blocking_pool import BlockingPool
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


class Told:
    """A subscription that keeps what it is sent."""

    def __init__(self, workspace_id: int) -> None:
        self.workspace_id = workspace_id
        self.closed = False
        self.bodies: list[dict[str, Any]] = []

    def send(self, op: str, name: str, body: dict[str, Any]) -> None:
        assert (op, name) == ("alerts", "")
        self.bodies.append(body)


async def test_what_fires_is_told_beside_ever_so_many_that_are_pending(workspace: Workspace) -> None:
    def write() -> None:
        rule = AlertRule.objects.create(workspace=workspace, name="r", document={})
        now = timezone.now()
        Alert.objects.bulk_create(
            Alert(
                workspace=workspace, rule=rule, severity="info", digest=str(number), title=str(number),
                state=state, since=at, last_met_at=at,
            )
            for number, (state, at) in enumerate(
                [("pending", now)] * 1_100 + [("firing", now - timedelta(hours=1))] * 300
            )
        )  # fmt: skip

    await sync_to_async(write)()
    told = Told(workspace.pk)
    await AlertsChannel(BlockingPool()).subscribe(cast("Any", told))
    (body,) = told.bodies
    assert (body["firing"], body["pending"], len(body["open"])) == (300, 1_100, MAX_LISTED)
