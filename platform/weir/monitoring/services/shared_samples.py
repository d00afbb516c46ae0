"""The samples of what jobs share: streams with contract validation, engines, Kafka clusters, the relay."""

from collections.abc import Iterator
from typing import Final

from weir.clusters.models import Cluster
from weir.measurements import Snapshot, ValidatedStream
from weir.monitoring.services import metrics
from weir.monitoring.services.metrics import Level, Sample
from weir.monitoring.services.samples import known, known_time, state_samples
from weir.monitoring.services.series_limit import Block
from weir.runs.models import Engine
from weir.runs.services.placement import WITHOUT_PROCESS

ENGINE_STATES: Final = tuple(str(state) for state in Engine.State.values)
_CLUSTER_STATES: Final = {True: "reachable", False: "unreachable", None: "unchecked"}


def shared_blocks(snapshot: Snapshot) -> Iterator[Block]:
    """One block for each stream, engine and cluster, and one for the relay."""
    yield Block("", Level.INSTALLATION, tuple(_of_relay(snapshot)))
    for cluster in snapshot.clusters:
        slug = cluster.workspace.slug if cluster.workspace else ""
        yield Block(slug, Level.CLUSTER, tuple(_of_cluster(cluster, slug)))
    for engine in snapshot.engines:
        yield Block("", Level.ENGINE, tuple(_of_engine(engine)))
    for stream in snapshot.streams:
        yield Block(stream.workspace, Level.STREAM, tuple(_of_stream(stream)))


def _of_relay(snapshot: Snapshot) -> Iterator[Sample]:
    yield from known_time(metrics.REPORTS_READ_AT, (), snapshot.reports_read_until)


def _of_cluster(cluster: Cluster, slug: str) -> Iterator[Sample]:
    labels = (slug, cluster.pk)
    current = _CLUSTER_STATES[cluster.reachable]
    yield from state_samples(metrics.CLUSTER_STATE, labels, _CLUSTER_STATES.values(), current)
    yield from known_time(metrics.CLUSTER_CHECKED_AT, labels, cluster.checked_at)


def _of_engine(engine: Engine) -> Iterator[Sample]:
    """Slots, memory and processor time are those of the last heartbeat; without one, and of an engine without
    a process, they are not known.
    """
    labels = (engine.pk, str(engine.kind))
    yield from state_samples(metrics.ENGINE_STATE, labels, ENGINE_STATES, str(engine.state))
    if engine.last_seen_at is None:
        return
    yield from known_time(metrics.ENGINE_SEEN_AT, labels, engine.last_seen_at)
    if engine.state in WITHOUT_PROCESS:
        return
    yield from known(metrics.ENGINE_SLOTS, labels, engine.slots)
    yield from known(metrics.ENGINE_USED_SLOTS, labels, engine.slots_used)
    yield from known(metrics.ENGINE_MEMORY, labels, engine.memory_bytes)
    yield from known(metrics.ENGINE_CPU, labels, engine.cpu_cores)
    yield from known(metrics.ENGINE_HOST_CPU, labels, engine.host_cpu_cores)
    yield from known(metrics.ENGINE_HOST_CORES, labels, engine.host_cores or None)


def _of_stream(stream: ValidatedStream) -> Iterator[Sample]:
    for outcome, records in stream.outcomes.items():
        yield Sample(metrics.STREAM_VALIDATED, (stream.workspace, stream.stream, outcome), records)
