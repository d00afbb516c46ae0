"""The relay's loop beside a home Kafka that does not answer."""

import threading

import pytest
from pytest_django import Settings

from tests.support.alerting import metric_rule
from tests.support.processes import free_ports
from weir.alerts.models import Alert, AlertRule
from weir.alerts.services.rules import create_rule
from weir.clusters.models import HOME, Cluster
from weir.relay import service
from weir.relay.consumer import RelayConsumer
from weir.relay.service import Relay
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_alerts_are_evaluated_while_the_home_kafka_does_not_answer(
    workspace: Workspace, owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it does not is what one of them is about."""

    def away(*_: object) -> None:
        raise UnreachableError("UNREACHABLE", "The broker does not answer.")

    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(RelayConsumer, "assign_results", away)
    monkeypatch.setattr(service, "close_old_connections", lambda: None)  # it would close the test's
    AlertRule.objects.all().delete()  # those of templates
    Cluster.objects.update_or_create(pk=HOME, defaults={"reachable": False})
    create_rule(workspace, owner, "away", metric_rule("cluster.unreachable", above=0))
    relay = Relay(threading.Event())
    try:
        relay._run_timers()  # follows, and the broker does not answer
        relay._run_timers()  # looks at metrics
    finally:
        relay._consumer.close()
    assert [alert.state for alert in Alert.objects.all()] == ["firing"]
