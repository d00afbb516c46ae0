"""The samples of what watches over jobs: consumer groups, alerts and objectives."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from jobs.base.instants import instant_of
from weir.alerts.models import Alert, Objective, Severity
from weir.alerts.services.budgets import Budget, stored_budget
from weir.alerts.services.outbox import active_silences, is_silenced
from weir.clusters.models import Cluster
from weir.consumer_groups.models import ClusterWatch
from weir.consumer_groups.services.visible_groups import watches_of_clusters
from weir.consumer_groups.services.watched_lags import WatchedLag, watched_lags
from weir.monitoring.services import metrics
from weir.monitoring.services.metrics import Level, Sample
from weir.monitoring.services.samples import known
from weir.monitoring.services.series_limit import Block
from weir.workspaces.models import Workspace

_ALERT_FIELDS: Final = ("workspace_id", "rule_id", "job_id", "severity")


def watched_blocks(workspace: Workspace | None, clusters: list[Cluster], now: datetime) -> Iterator[Block]:
    """One block for each watched cluster, each group, each workspace's alerts, each objective. Eight queries.

    Args:
        workspace: whose; None: all.
        clusters: that are read, with their workspaces.
        now: the present.
    """
    slugs = dict(Workspace.objects.values_list("pk", "slug"))
    yield from _groups(clusters, frozenset(slugs.values()), workspace, instant_of(now))
    yield from _alerts(slugs if workspace is None else {workspace.pk: workspace.slug})
    yield from _objectives(workspace, now)


def _groups(
    clusters: list[Cluster], slugs: frozenset[str], reader: Workspace | None, now_us: int
) -> Iterator[Block]:
    watches = watches_of_clusters(clusters)
    for cluster in clusters:
        if watch := watches.get(cluster.pk):
            owner = cluster.workspace.slug if cluster.workspace else ""
            yield Block(owner, Level.CLUSTER, tuple(_of_watch((owner, cluster.pk), watch)))
    groups: defaultdict[tuple[str, str, str], list[Sample]] = defaultdict(list)
    for one in watched_lags(clusters, watches, slugs, reader, now_us):
        groups[one.workspace, one.lag.cluster_id, one.lag.group] += _of_lag(one)
    for (workspace, _, _), samples in groups.items():
        yield Block(workspace, Level.GROUP, tuple(samples))


def _of_watch(labels: tuple[str, str], watch: ClusterWatch) -> Iterator[Sample]:
    if watch.passed_at_us is None:
        return
    yield Sample(metrics.CLUSTER_GROUPS_READ_AT, labels, watch.passed_at_us / 1e6)
    yield Sample(metrics.CLUSTER_GROUPS, labels, watch.groups)
    yield Sample(metrics.CLUSTER_UNWATCHED_GROUPS, labels, watch.left_out)


def _of_lag(watched: WatchedLag) -> Iterator[Sample]:
    lag = watched.lag
    labels = (watched.workspace, lag.cluster_id, lag.group, lag.topic)
    yield from known(metrics.GROUP_LAG, labels, lag.lag_records)
    yield from known(metrics.GROUP_LAG_SECONDS, labels, lag.known_lag_seconds)
    yield Sample(metrics.GROUP_HEALTH, (*labels, lag.health), 1.0)
    yield from known(metrics.GROUP_LOSS, labels, lag.loss_s)
    yield Sample(metrics.GROUP_LOST, labels, lag.lost_records)


def _alerts(slugs: dict[int, str]) -> Iterator[Block]:
    rows = Alert.objects.filter(workspace__in=slugs, state=Alert.State.FIRING).only(*_ALERT_FIELDS)
    firing, silenced = _counted(rows, slugs)
    for pk, slug in slugs.items():
        samples = [
            Sample(metric, (slug, severity), counts[pk, severity])
            for metric, counts in ((metrics.FIRING_ALERTS, firing), (metrics.SILENCED_ALERTS, silenced))
            for severity in Severity.values
        ]
        yield Block(slug, Level.ALERT, tuple(samples))


def _counted(
    alerts: Iterable[Alert], slugs: dict[int, str]
) -> tuple[Counter[tuple[int, str]], Counter[tuple[int, str]]]:
    """How many fire and how many of these are silenced, by workspace and severity."""
    firing: Counter[tuple[int, str]] = Counter()
    silenced: Counter[tuple[int, str]] = Counter()
    silences = active_silences(slugs)
    for alert in alerts:
        key = (alert.workspace_id, alert.severity)
        firing[key] += 1
        silenced[key] += is_silenced(alert, silences)
    return firing, silenced


def _objectives(workspace: Workspace | None, now: datetime) -> Iterator[Block]:
    rows = Objective.objects.select_related("job", "workspace")
    for objective in rows if workspace is None else rows.filter(workspace=workspace):
        slug = objective.workspace.slug
        labels = (slug, objective.job.name, objective.kind, objective.output)
        samples = _of_objective(labels, objective.target, stored_budget(objective, now))
        yield Block(slug, Level.OBJECTIVE, tuple(samples))


def _of_objective(
    labels: tuple[str, str, str, str], target: float, budget: Budget | None
) -> Iterator[Sample]:
    yield Sample(metrics.OBJECTIVE_TARGET, labels, target)
    if budget is None:
        return
    yield from known(metrics.OBJECTIVE_ATTAINED, labels, budget.attained)
    yield from known(metrics.OBJECTIVE_BUDGET, labels, budget.left)
    yield from known(metrics.OBJECTIVE_BURN, (*labels, "1h"), budget.fast_burn)
    yield from known(metrics.OBJECTIVE_BURN, (*labels, "6h"), budget.slow_burn)
