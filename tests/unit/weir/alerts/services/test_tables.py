"""The tables that people read say what the code holds."""

import pytest

from tests.support.alerts_page import PAGE, written
from weir.alerts.models import AlertRule
from weir.alerts.services.metrics import BY_NAME, METRICS
from weir.alerts.services.templates import TEMPLATES
from weir.lag.services.history import JOB_POINTS
from weir.workspaces.models import Workspace


def test_the_page_lists_every_metric_and_rule() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text


def test_metrics_are_named_by_their_scope_and_their_history_exists() -> None:
    assert len(BY_NAME) == len(METRICS)
    for metric in METRICS:
        assert metric.name.startswith(f"{metric.scope}.")
        assert not metric.history or metric.history in JOB_POINTS.measures


@pytest.mark.django_db
def test_every_workspace_begins_with_all_templates(workspace: Workspace) -> None:
    rules = AlertRule.objects.filter(workspace=workspace)
    assert set(rules.values_list("template", flat=True)) == {one.code for one in TEMPLATES}
    assert all(rule.enabled for rule in rules)
