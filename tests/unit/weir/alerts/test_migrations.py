"""What becomes of stored rules."""

import importlib

import pytest
from django.apps import apps

from tests.support.alerting import World, metric_rule, row_rule
from weir.alerts.models import Alert, AlertRule
from weir.alerts.services.book import digest_of
from weir.alerts.services.group_values import group_value
from weir.alerts.services.rule_document import parse_rule
from weir.alerts.services.templates import TEMPLATES
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


def test_rules_over_the_metric_that_is_gone_watch_the_health_of_the_lag(workspace: Workspace) -> None:
    gone = {**metric_rule("job.lag_seconds", above=60), "hold": "5m", "severity": "critical"}
    gone["watch"] = {**gone["watch"], "metric": "job.falling_behind_seconds", "recovers_at": 20}
    AlertRule.objects.filter(template__in=("partition-silent", "group-falling-behind")).delete()
    AlertRule.objects.filter(template="falling-behind").update(document=gone)
    AlertRule.objects.create(workspace=workspace, name="mine", document=gone)
    importlib.import_module("weir.alerts.migrations.0004_lag_health").watch_the_health(apps, None)
    assert AlertRule.objects.exclude(template="").count() == len(TEMPLATES)
    for rule, hold in (({"template": "falling-behind"}, "1m"), ({"name": "mine"}, "5m")):
        document = parse_rule(AlertRule.objects.get(**rule).document)
        assert (document.hold, document.severity) == (hold, "critical")
        watch = document.as_json()["watch"]
        assert (watch["metric"], watch["above"], watch["recovers_at"]) == ("job.needs_a_look", 0, None)


def test_an_open_alert_of_a_long_value_is_found_afterwards(world: World) -> None:
    """What an older version of Weir stored is cut, and the row that ends it ends it."""
    long = "x" * 100_000
    world.rule(row_rule(world.job, by=["symbol"]))
    world.rows({"symbol": long, "low": 1.0}, {"symbol": "short", "low": 1.0})
    before = {"symbol": long}
    Alert.objects.filter(group__symbol=group_value(long)).update(group=before, digest=digest_of(before))
    untouched = Alert.objects.values().get(group__symbol="short")
    importlib.import_module("weir.alerts.migrations.0008_group_values").cut_groups(apps, None)
    assert Alert.objects.values().get(group__symbol="short") == untouched
    world.crash()
    world.rows({"symbol": long, "low": 9.0}, window=("2026-01-01T00:00:05Z", "2026-01-01T00:00:10Z"))
    alert = Alert.objects.get(digest=digest_of({"symbol": group_value(long)}))
    assert (alert.group, alert.state) == ({"symbol": group_value(long)}, "resolved")
    assert Alert.objects.count() == 2
