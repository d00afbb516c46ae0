"""Rules over the health of consumer groups."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tests.support.group_rows import stored_group, watched
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.group_readings import GroupReadings
from weir.alerts.services.metric_rules import observe_metrics
from weir.alerts.services.readings import Subject, Taken
from weir.alerts.services.rule_document import RuleDocument, parse_rule
from weir.alerts.services.rules import checked_rule
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupTopic
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def document(metric: str = "group.needs_a_look", above: float | None = 0.5, **watch: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "watch": {"kind": "metric", "metric": metric, "above": above, **watch},
        "hold": "0s",
        "severity": "warning",
        "channels": [],
    }


def rule(workspace: Workspace, **watch: Any) -> LoadedRule:
    parsed: RuleDocument = parse_rule(document(**watch))
    return LoadedRule.of("r", workspace.pk, "Groups", parsed)


class Look:
    """One evaluator's readings and alerts."""

    def __init__(self, *rules: LoadedRule) -> None:
        self.readings, self.book, self.rules, self.at = GroupReadings(), Book(), rules, timezone.now()

    def firing(self) -> list[str]:
        taken = Taken()
        self.readings.take(taken, self.rules, self.at)
        observe_metrics(self.rules, taken, self.book, int(self.at.timestamp() * 1e6))
        self.at += timedelta(seconds=10)
        return sorted(alert.title for alert in self.book.of("r").values() if alert.state == "firing")


def test_a_group_that_needs_a_look_fires_and_is_over_when_it_reads_again(workspace: Workspace) -> None:
    watched()
    stored_group("mine", {"t": 5}, health="stopped")
    stored_group("well", {"t": 0})
    look = Look(rule(workspace))
    (title,) = look.firing()
    assert title.startswith("Consumer group mine on ")
    assert title.endswith(": stopped")
    GroupTopic.objects.filter(group="mine").update(health="catching_up")
    assert look.firing() == []


@pytest.mark.parametrize(
    ("metric", "above", "fires"),
    [("group.lag_records", 4, True), ("group.lag_records", 5, False), ("group.lag_seconds", 1.4, True)],
)
def test_lag_of_a_group_is_compared(workspace: Workspace, metric: str, above: float, fires: bool) -> None:
    watched()
    stored_group("mine", {"t": 5})
    assert bool(Look(rule(workspace, metric=metric, above=above)).firing()) is fires


def test_a_lag_in_time_that_is_a_lower_bound_changes_no_alert(workspace: Workspace) -> None:
    """After a restart the watch knows of a group that stands still: at least three seconds."""
    watched()
    stored_group("mine", {"t": 5}, lag_seconds=7_200, seconds_by="record")
    look = Look(rule(workspace, metric="group.lag_seconds", above=60))
    assert look.firing()
    GroupTopic.objects.update(lag_seconds=3, seconds_by="at_least")
    assert look.firing()
    GroupTopic.objects.update(seconds_by="record")
    assert look.firing() == []


def test_a_group_whose_offsets_may_not_be_read_any_more_changes_no_alert(workspace: Workspace) -> None:
    watched()
    stored_group("mine", {"t": 5}, lost_records=4)
    look = Look(rule(workspace, metric="group.lost_records", above=3))
    assert look.firing()
    GroupTopic.objects.update(lag_records=None, lost_records=0, health="unknown")
    assert look.firing()


def test_a_rule_can_be_about_one_group(workspace: Workspace) -> None:
    watched()
    for name in ("a", "b"):
        stored_group(name, {"t": 5}, health="stopped")
    (title,) = Look(rule(workspace, group="b")).firing()
    assert " b on " in title


def test_what_was_seen_long_ago_changes_no_alert_and_a_deleted_group_ends_its_own(
    workspace: Workspace,
) -> None:
    watched()
    stored_group("mine", {"t": 5}, health="stopped")
    look = Look(rule(workspace))
    assert look.firing()
    ClusterWatch.objects.update(passed_at_us=time.time_ns() // 1000 - 300_000_000)
    GroupTopic.objects.update(health="fine")
    assert look.firing()
    GroupTopic.objects.all().delete()
    ConsumerGroup.objects.all().delete()
    assert look.firing() == []


def test_mirrors_of_jobs_are_left_to_their_jobs(workspace: Workspace) -> None:
    watched()
    stored_group("weir.ops.stats", {"t": 5}, health="stopped")
    assert Look(rule(workspace)).firing() == []


def test_nothing_is_read_without_a_rule_over_groups(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    readings, taken = GroupReadings(), Taken()
    other = LoadedRule.of("r", workspace.pk, "Jobs", parse_rule(document("job.lag_seconds")))
    with django_assert_num_queries(0), django_assert_num_queries(0, using="results"):
        readings.take(taken, [other], timezone.now())
    assert not taken.subjects


def test_a_group_belongs_to_rules_over_groups(workspace: Workspace) -> None:
    checked_rule(workspace, document(group="payments"))
    with pytest.raises(ServiceError, match="not measured by consumer group"):
        checked_rule(workspace, document("job.lag_seconds", group="payments"))


def test_a_risk_that_is_over_ends_its_alert_and_none_of_another_workspace(workspace: Workspace) -> None:
    rules = [
        LoadedRule.of("r", pk, "Loss", parse_rule(document("group.loss_seconds", None, below=3_600)))
        for pk in (workspace.pk, workspace.pk + 1)
    ]
    rules[1].id = "other"
    group = (("cluster", "home"), ("group", "mine"))
    mine, theirs = (Subject(rule.workspace_id, "group", group, "Group") for rule in rules)
    book, taken = Book(), Taken()
    for subject in (mine, theirs):
        taken.put("group.loss_seconds", subject, 60.0)
    observe_metrics(rules, taken, book, 1)
    later = Taken()
    later.put_over("group.loss_seconds", mine)
    later.put("group.loss_seconds", theirs, 50.0)
    observe_metrics(rules, later, book, 2)
    assert [len(book.of(rule_id)) for rule_id in ("r", "other")] == [0, 1]
