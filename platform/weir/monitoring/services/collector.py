"""A collector of prometheus-client whose values are read from the database when Prometheus asks."""

from collections.abc import Iterator

from django.conf import settings
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from weir.measurements import Snapshot, read_snapshot
from weir.monitoring.services.job_samples import job_blocks
from weir.monitoring.services.metrics import METRICS, OMITTED_SERIES, Metric, Sample
from weir.monitoring.services.series_limit import Admitted, Block, admit
from weir.monitoring.services.shared_samples import shared_blocks
from weir.monitoring.services.watched_samples import watched_blocks
from weir.workspaces.models import Workspace


class DatabaseCollector(Collector):
    """Every metric of `weir.monitoring.services.metrics`, of one workspace or of all.

    Several web processes give the same values, so Prometheus has to ask only one of them.

    Args:
        workspace: whose series; None: those of all workspaces.
    """

    def __init__(self, workspace: Workspace | None) -> None:
        self._workspace = workspace

    def collect(self) -> Iterator[Family]:
        """All metrics in the table's order; one without samples has its help and type alone."""
        blocks = _blocks(self._workspace, read_snapshot(self._workspace))
        found = admit(blocks, settings.METRICS_MAX_SERIES)
        families = {metric: _family(metric) for metric in METRICS}
        for sample in [*found.samples, *_omitted(found)]:
            families[sample.metric].add_metric(sample.labels, sample.value)
        yield from families.values()


def _blocks(workspace: Workspace | None, snapshot: Snapshot) -> Iterator[Block]:
    yield from shared_blocks(snapshot)
    yield from watched_blocks(workspace, snapshot.clusters, snapshot.now)
    for measured in snapshot.jobs:
        yield from job_blocks(measured, snapshot.reports_read_until, snapshot.now)


def _omitted(found: Admitted) -> Iterator[Sample]:
    """These are beyond the limit: one for each level of a workspace at most."""
    for (workspace, level), series in sorted(found.omitted.items()):
        yield Sample(OMITTED_SERIES, (workspace, str(level)), series)


def _family(metric: Metric) -> GaugeMetricFamily | CounterMetricFamily:
    kind: type[GaugeMetricFamily | CounterMetricFamily]
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family: GaugeMetricFamily | CounterMetricFamily = kind(metric.name, metric.help, labels=metric.labels)
    return family
