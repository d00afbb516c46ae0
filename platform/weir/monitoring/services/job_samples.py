"""The samples of one job: of itself, its sources, partitions and steps."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from jobs.run_states import LIVE, NEVER_STARTED, STATES, UNKNOWN
from weir.lag.services.tracker import known_seconds
from weir.measurements import MeasuredJob
from weir.monitoring.services import metrics
from weir.monitoring.services.metrics import Level, Sample
from weir.monitoring.services.samples import Labels, known, known_time, state_samples
from weir.monitoring.services.series_limit import Block
from weir.runs.models import Desired, Run
from weir.runs.services.run_publisher import mirror_group

JOB_STATES: Final = (*STATES, UNKNOWN, NEVER_STARTED)
_DESIRED_STATES: Final = (str(Desired.RUNNING), str(Desired.STOPPED))


def job_blocks(measured: MeasuredJob, read_until: datetime | None, now: datetime) -> Iterator[Block]:
    """The blocks of a job, one for each level.

    Args:
        measured: the job.
        read_until: reports that were sent before this are stored; None: not known.
        now: the present.
    """
    slug = measured.job.workspace.slug
    yield Block(slug, Level.JOB, tuple(_of_job(measured, read_until, now)))
    if measured.run is None or measured.payload is None:
        return
    topics = {name: str(source["topic"]) for name, source in measured.run.generation.sources.items()}
    lags = measured.payload["sources"] if measured.is_current else {}
    counts = measured.payload.get("counts") or {}
    labels = (slug, measured.job.name)
    counted, given = counts.get("sources", {}), counts.get("given", {})
    yield Block(slug, Level.SOURCE, tuple(_of_sources(labels, topics, lags, counted, given)))
    kept = measured.payload.get("steps", {}) if measured.is_current else {}
    yield Block(slug, Level.STEP, tuple(_of_steps(labels, topics, given, counts.get("steps", {}), kept)))
    yield Block(slug, Level.PARTITION, tuple(_of_partitions(labels, topics, lags)))


def _of_job(measured: MeasuredJob, read_until: datetime | None, now: datetime) -> Iterator[Sample]:
    job, run = measured.job, measured.run
    labels = (job.workspace.slug, job.name)
    yield Sample(metrics.JOB_INFO, (*labels, job.pk, *_running(measured)), 1.0)
    yield from state_samples(metrics.JOB_DESIRED, labels, _DESIRED_STATES, str(job.desired))
    state = NEVER_STARTED if run is None else run.shown_state(read_until, now)
    yield from state_samples(metrics.JOB_STATE, labels, JOB_STATES, state)
    if run is None:
        return
    yield from known_time(metrics.JOB_STATE_SINCE, labels, run.observed_since)
    yield from known_time(metrics.JOB_SEEN_AT, labels, run.last_seen_at)
    yield from known(metrics.JOB_STARTS, labels, run.epoch)
    if measured.payload is not None:
        yield from _counted(labels, measured.payload.get("counts") or {})
    if measured.is_current:
        yield from _current(labels, measured, run, measured.payload or {})


def _running(measured: MeasuredJob) -> Labels:
    """Version, mode, engine and group of the run; empty texts where none is live."""
    run = measured.run
    if run is None or run.observed not in LIVE:
        return ("", "", "", "")
    group = mirror_group(measured.job.workspace.slug, measured.job.name)
    return (str(run.version), run.mode, run.engine_id or "", group)


def _counted(labels: Labels, counts: dict[str, Any]) -> Iterator[Sample]:
    """What the generation has counted; nothing before its first batch."""
    if not counts.get("batches"):
        return
    yield Sample(metrics.JOB_BATCHES, labels, counts["batches"])
    yield Sample(metrics.JOB_ROWS_IN, labels, counts["rows_in"])
    yield Sample(metrics.JOB_ROWS_OUT, labels, counts["rows_out"])
    yield Sample(metrics.JOB_LATE, labels, counts["late"])


def _current(labels: Labels, measured: MeasuredJob, run: Run, payload: dict[str, Any]) -> Iterator[Sample]:
    yield from known(metrics.JOB_LAG, labels, run.lag_records)
    yield from known(metrics.JOB_LAG_SECONDS, labels, run.lag_seconds)
    yield from known(metrics.JOB_FRESHNESS, labels, _divided(run.freshness_ms, 1e3))
    yield from known(metrics.JOB_LATENCY, labels, _divided(measured.latency_ms, 1e3))
    yield from known(metrics.JOB_WATERMARK, labels, _divided(run.watermark_us, 1e6))
    yield from known(metrics.JOB_STORED_ROWS, labels, payload.get("state_rows"))
    yield from known(metrics.JOB_STORED_BYTES, labels, payload.get("state_bytes"))


def _divided(value: float | None, by: float) -> float | None:
    return None if value is None else value / by


def _of_sources(
    labels: Labels,
    topics: dict[str, str],
    lags: dict[str, Any],
    counts: dict[str, Any],
    given: dict[str, int],
) -> Iterator[Sample]:
    for name, topic in topics.items():
        source = (*labels, name, topic)
        lag, counted = lags.get(name, {}), counts.get(name, {})
        yield from known(metrics.SOURCE_LAG, source, lag.get("records"))
        yield from known(metrics.SOURCE_LAG_SECONDS, source, lag.get("seconds"))
        yield from known(metrics.SOURCE_RECORDS, source, counted.get("records"))
        yield from known(metrics.SOURCE_MALFORMED, source, counted.get("malformed"))
        yield from known(metrics.SOURCE_ROWS, source, given.get(name))


def _of_partitions(labels: Labels, topics: dict[str, str], lags: dict[str, Any]) -> Iterator[Sample]:
    for name, topic in topics.items():
        for cell in lags.get(name, {}).get("partitions", ()):
            partition = (*labels, name, topic, str(cell["partition"]))
            yield from known(metrics.PARTITION_LAG, partition, cell["records"])
            yield from known(metrics.PARTITION_LAG_SECONDS, partition, known_seconds(cell))
            yield from known(metrics.PARTITION_COMMITTED, partition, cell["committed"])
            yield from known(metrics.PARTITION_FETCHED, partition, cell["fetched"])
            yield from known(metrics.PARTITION_END, partition, cell["end"])


def _of_steps(
    labels: Labels,
    topics: dict[str, str],
    given: dict[str, int],
    counted: dict[str, dict[str, int | None]],
    kept: dict[str, dict[str, int]],
) -> Iterator[Sample]:
    for reference, rows in given.items():
        name, _, port = reference.partition(".")
        if name not in topics:
            yield Sample(metrics.STEP_ROWS, (*labels, name, port), rows)
    for name, counts in counted.items():
        step = (*labels, name)
        yield from known(metrics.STEP_LATE, step, counts.get("late"))
        yield from known(metrics.STEP_KEYLESS, step, counts.get("keyless"))
        yield from known(metrics.STEP_NULLS, step, counts.get("expression_nulls"))
        yield from known(metrics.STEP_LIMITED, step, counts.get("limit_reached"))
    for name, state in kept.items():
        yield Sample(metrics.STEP_STORED_ROWS, (*labels, name), state["state_rows"])
        yield Sample(metrics.STEP_STORED_BYTES, (*labels, name), state["state_bytes"])
