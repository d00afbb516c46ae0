"""What becomes of stored rules."""

import importlib

import pytest
from django.apps import apps

from tests.support.alerting import metric_rule
from weir.alerts.models import AlertRule
from weir.alerts.services.rule_document import parse_rule
from weir.alerts.services.templates import TEMPLATES
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db


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
