"""Groups, alerts and objectives in the exposition: whose they are, who sees them, how many there may be."""

import time
from datetime import timedelta

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from tests.support.group_rows import stored_group, watched
from tests.support.judged_objectives import judged_objective
from tests.support.run_factories import job_of
from tests.support.users import create_user, workspace_of
from weir.alerts.models import Alert, AlertRule, Objective, Silence
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.consumer_groups.models import ClusterWatch
from weir.consumer_groups.services.visible_groups import groups_of
from weir.monitoring.services.collector import DatabaseCollector
from weir.streams.models import OwnedTopic
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])

Found = dict[tuple[str, ...], float]


def found(metric: str, *labels: str, workspace: Workspace | None = None) -> Found:
    """Values of a metric by the values of these labels."""
    text = generate_latest(DatabaseCollector(workspace)).decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    return {
        tuple(sample.labels[label] for label in labels): sample.value for sample in families[metric].samples
    }


@pytest.fixture(autouse=True)
def home() -> None:
    home_cluster()


@pytest.fixture
def labs(workspace: Workspace) -> Workspace:
    return workspace_of(create_user("eve"), "labs")


def own_topic(workspace: Workspace, topic: str) -> None:
    OwnedTopic.objects.create(workspace=workspace, cluster_id=HOME, topic=topic)


def own_cluster(workspace: Workspace) -> Cluster:
    made: Cluster = Cluster.objects.create(
        id="c1", workspace=workspace, name="Plant", bootstrap="127.0.0.1:1"
    )
    return made


def test_a_group_by_topic(workspace: Workspace, owner: User) -> None:
    job_of(workspace, owner)
    watched()
    stored_group("billing", {"trades": 9}, health="losing", loss_s=0.0, lost_records=4)
    key = ("workspace", "cluster", "group", "topic")
    own = ("ops", HOME, "billing", "trades")
    assert found("weir_group_lag_records", *key) == {own: 9}
    assert found("weir_group_lag_seconds", *key) == {own: 1.5}
    assert found("weir_group_health_info", *key, "health") == {(*own, "losing"): 1}
    assert found("weir_group_loss_seconds", *key) == {own: 0}
    assert found("weir_group_lost_records", *key) == {own: 4}
    assert found("weir_cluster_groups", "cluster") == {(HOME,): 0}


def test_what_is_not_known_of_a_group_is_missing(workspace: Workspace) -> None:
    watched()
    stored_group("billing", {"t": 9}, lag_seconds=None, loss_s=None, health="unknown")
    assert found("weir_group_lag_seconds", "group") == found("weir_group_loss_seconds", "group") == {}
    assert found("weir_group_lag_records", "group") == {("billing",): 9}


def test_a_group_whose_offsets_may_not_be_read_is_missing(workspace: Workspace) -> None:
    watched()
    stored_group("billing", {"t": 9}, lag_records=None, lag_seconds=None, health="unknown")
    assert found("weir_group_lag_records", "group") == found("weir_group_health_info", "group") == {}


def test_a_lag_in_time_that_is_a_lower_bound_is_missing(workspace: Workspace) -> None:
    watched()
    stored_group("billing", {"t": 9}, lag_seconds=3, seconds_by="at_least")
    assert found("weir_group_lag_seconds", "group") == {}


def test_groups_that_nobody_looks_at_any_more_are_missing(workspace: Workspace) -> None:
    watched()
    stored_group("billing", {"t": 9})
    ClusterWatch.objects.update(passed_at_us=time.time_ns() // 1000 - 61_000_000, interval_ms=10_000)
    assert found("weir_group_lag_records", "group") == {}
    read_at = found("weir_cluster_groups_read_timestamp_seconds", "cluster")[HOME,]
    assert read_at == pytest.approx(time.time() - 61, abs=20)
    ClusterWatch.objects.update(interval_ms=60_000)
    assert found("weir_group_lag_records", "group") == {("billing",): 9}, "passes are rarer there"


def test_a_cluster_of_a_workspace_names_no_other(workspace: Workspace, labs: Workspace) -> None:
    """Anybody may give groups there the names that positions of other workspaces' jobs have."""
    cluster = own_cluster(labs)
    watched(cluster.pk)
    stored_group("weir.ops.stats", {"plant": 9}, cluster_id=cluster.pk)
    stored_group("weir.labs.stats", {"plant": 3}, cluster_id=cluster.pk)
    labels = ("workspace", "group")
    assert found("weir_group_lag_records", *labels) == {("labs", "weir.labs.stats"): 3}
    assert found("weir_group_lag_records", *labels, workspace=workspace) == {}


def test_a_series_names_the_workspace_that_it_concerns(workspace: Workspace, labs: Workspace) -> None:
    cluster = own_cluster(labs)
    own_topic(workspace, "orders")
    for cluster_id in (HOME, cluster.pk):
        watched(cluster_id)
    stored_group("billing", {"orders": 1, "nobodys": 2})
    stored_group("etl", {"plant": 3}, cluster_id=cluster.pk)
    stored_group("weir.labs.stats", {"nobodys": 4})
    labels = ("workspace", "group", "topic")
    everything: Found = {
        ("ops", "billing", "orders"): 1,
        ("", "billing", "nobodys"): 2,
        ("labs", "etl", "plant"): 3,
        ("labs", "weir.labs.stats", "nobodys"): 4,
    }
    assert found("weir_group_lag_records", *labels) == everything
    seen = found("weir_group_lag_records", *labels, workspace=labs)
    assert seen == {key: value for key, value in everything.items() if key[0] != "ops"}
    seen = found("weir_group_lag_records", *labels, workspace=workspace)
    assert seen == {key: value for key, value in everything.items() if key[0] != "labs"}


def test_a_workspace_does_not_see_what_its_job_read_of_a_topic_that_is_another_s_by_now(
    workspace: Workspace, labs: Workspace
) -> None:
    own_topic(workspace, "orders")
    watched()
    stored_group("weir.labs.stats", {"orders": 4, "nobodys": 5})
    (group,) = groups_of(labs)
    assert [topic.topic for topic in group.topics] == ["nobodys"]
    assert found("weir_group_lag_records", "topic", workspace=labs) == {("nobodys",): 5}
    assert found("weir_group_lag_records", "topic") == {("orders",): 4, ("nobodys",): 5}


@pytest.mark.parametrize("name", ["weir.nobody.x", "weir-relay", "weir."])
def test_weirs_own_groups_are_not_there(workspace: Workspace, name: str) -> None:
    watched()
    stored_group(name, {"t": 9})
    assert found("weir_group_lag_records", "group") == {}


def test_a_workspace_sees_the_groups_that_the_page_shows_it(
    workspace: Workspace, labs: Workspace, owner: User
) -> None:
    job_of(workspace, owner)  # registers trades
    own_topic(labs, "trades")
    own_topic(labs, "secret")
    watched()
    stored_group("both", {"trades": 1, "secret": 2})
    assert found("weir_group_lag_records", "workspace", "topic", workspace=workspace) == {("", "trades"): 1}
    assert found("weir_group_lag_records", "workspace", "topic", workspace=labs) == {("labs", "secret"): 2}


def test_of_too_many_groups_the_worst_are_written(
    settings: Settings, workspace: Workspace, owner: User
) -> None:
    job_of(workspace, owner)
    watched()
    for name in ("a", "b", "c"):
        stored_group(name, {"trades": 1})
    stored_group("z", {"trades": 1}, health="stopped")
    settings.METRICS_MAX_SERIES = 24
    assert found("weir_group_lag_records", "group") == {("z",): 1}
    assert found("weir_metrics_omitted_series", "workspace", "level")["ops", "group"] == 12


def test_alerts_by_severity(workspace: Workspace, labs: Workspace, owner: User) -> None:
    rule = AlertRule.objects.create(workspace=workspace, name="r", document={})
    now = timezone.now()
    states = [("firing", "critical"), ("firing", "warning"), ("firing", "warning"), ("resolved", "critical"),
              ("pending", "info")]  # fmt: skip
    alerts = [
        Alert.objects.create(workspace=workspace, rule=rule, severity=severity, digest=str(number), title="t",
                             state=state, since=now, last_met_at=now)
        for number, (state, severity) in enumerate(states)
    ]  # fmt: skip
    Silence.objects.create(workspace=workspace, alert=alerts[1], starts_at=now - timedelta(minutes=1),
                           ends_at=now + timedelta(hours=1), created_by="u")  # fmt: skip
    labels = ("workspace", "severity")
    none = {("labs", severity): 0 for severity in ("info", "warning", "critical")}
    fire: Found = {("ops", "info"): 0, ("ops", "warning"): 2, ("ops", "critical"): 1}
    assert found("weir_firing_alerts", *labels) == fire | none
    silenced: Found = {("ops", "info"): 0, ("ops", "warning"): 1, ("ops", "critical"): 0}
    assert found("weir_silenced_alerts", *labels) == silenced | none
    assert found("weir_firing_alerts", *labels, workspace=labs) == none


def test_objectives(workspace: Workspace, labs: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    judged_objective(job, good_s=285)
    labels = ("workspace", "job_name", "objective")
    key = ("ops", "stats", "freshness")
    assert found("weir_objective_target_ratio", *labels) == {key: 0.9}
    assert found("weir_objective_attained_ratio", *labels) == {key: pytest.approx(0.95)}
    assert found("weir_objective_remaining_budget_ratio", *labels) == {key: pytest.approx(0.5)}
    burn = found("weir_objective_burn_rate", *labels, "window")
    # 15 s are bad; of an hour 360 s may be, of six 2,160.
    assert burn == {(*key, "1h"): pytest.approx(15 / 360), (*key, "6h"): pytest.approx(15 / 2_160)}
    assert found("weir_objective_target_ratio", *labels, workspace=labs) == {}


def test_objectives_of_a_job_and_of_its_outputs_are_series_of_their_own(
    workspace: Workspace, owner: User
) -> None:
    """Prometheus takes one of two samples of the same labels, and drops the other."""
    job = job_of(workspace, owner)
    for output, target in (("", 0.9), ("live", 0.99)):
        Objective.objects.create(
            workspace=workspace, job=job, kind="completeness", output=output, threshold=0.1, target=target
        )
    exposed = generate_latest(DatabaseCollector(None)).decode()
    series = [line.rpartition(" ")[0] for line in exposed.splitlines() if not line.startswith("#")]
    assert len(series) == len(set(series))
    assert found("weir_objective_target_ratio", "output") == {("",): 0.9, ("live",): 0.99}


def test_an_objective_that_was_not_judged_has_its_target_alone(workspace: Workspace, owner: User) -> None:
    judged_objective(job_of(workspace, owner), good_s=0, judged_s=0)
    assert len(found("weir_objective_target_ratio", "job_name")) == 1
    assert found("weir_objective_remaining_budget_ratio", "job_name") == {}
    assert found("weir_objective_burn_rate", "job_name") == {}


def test_a_budget_that_nobody_computes_any_more_is_missing(workspace: Workspace, owner: User) -> None:
    made = judged_objective(job_of(workspace, owner), good_s=285)
    Objective.objects.filter(pk=made.pk).update(budget_at=timezone.now() - timedelta(minutes=3))
    assert found("weir_objective_remaining_budget_ratio", "job_name") == {}
    assert len(found("weir_objective_target_ratio", "job_name")) == 1


def test_the_number_of_queries_grows_with_nothing(workspace: Workspace, owner: User) -> None:
    def queries() -> int:
        captures = [CaptureQueriesContext(connections[alias]) for alias in ("default", "results")]
        with captures[0], captures[1]:
            generate_latest(DatabaseCollector(None))
        return sum(len(capture) for capture in captures)

    watched()
    stored_group("g", {"t": 1})
    judged_objective(job_of(workspace, owner), good_s=1)
    few = queries()
    for number in range(5):
        team = workspace_of(create_user(f"user{number}"), f"team{number}")
        judged_objective(job_of(team, create_user(f"member{number}")), good_s=1)
        stored_group(f"g{number}", {"t": 1, "u": 2})
        own_topic(team, f"t{number}")
    assert queries() == few
