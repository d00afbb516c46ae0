"""Jobs with stored lag and counts, as the relay leaves them, for tests that need no broker."""

from typing import Any

from jobs.kafka_messages import PartitionProgress, ProgressReport, SourceRead
from tests.support.run_factories import DOCUMENT, job_of, now_us, running
from weir.lag.services import history
from weir.lag.services.tracker import LagTracker
from weir.runs.models import Job, Run
from weir.workspaces.models import User, Workspace

TOPIC = "trades"


def measured_job(
    workspace: Workspace,
    owner: User,
    name: str = "stats",
    partitions: int = 2,
    age_us: int = 0,
    **progress: Any,
) -> Run:
    """A running job with one progress report: each partition is at 90 of 100, committed at 80, 1 s behind.

    Args:
        workspace: of the job.
        owner: who creates it.
        name: of the job.
        partitions: of its only source.
        age_us: how long ago its lag was stored.
        progress: further fields of the report.
    """
    run = started_job(workspace, owner, name)
    at_us = now_us() - age_us
    report = progress_report(run, partitions, at_us, **progress)
    tracker = LagTracker()
    followed = tracker.follow(run.pk, run.generation.job_id, 1, {"trades": ("home", TOPIC)})
    for number in range(partitions):
        tracker.observe_end(("home", TOPIC), number, at_us - 2_000_000, 80)
    tracker.apply(report)
    payload = {
        **(tracker.payload(run.pk, at_us) or {}),
        "run_id": run.pk,
        "counts": followed.counts.as_json(),
        "latency_ms": 40,
    }
    totals = tracker.totals(run.pk, at_us)
    history.record([], {run.generation.job_id: payload}, at_us)
    Run.objects.filter(pk=run.pk).update(
        lag_records=totals.records, lag_seconds=totals.seconds, freshness_ms=1500, watermark_us=2_000_000
    )
    return run


def started_job(workspace: Workspace, owner: User, name: str = "stats") -> Run:
    """A running job about which nothing was reported but its state."""
    job: Job = job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}", 1))
    run = running(job)
    run.generation.sources = {
        "trades": {"stream": "trades", "topic": TOPIC, "cluster": {"cluster_id": "home"}}
    }
    run.generation.save(update_fields=["sources"])
    return run


def progress_report(run: Run, partitions: int, at_us: int, **progress: Any) -> ProgressReport:
    """A batch of 100 records with 5 malformed ones."""
    cells = {number: PartitionProgress(committed=80, fetched=90, end=100) for number in range(partitions)}
    fields = {
        "rows_in": 95,
        "rows_out": 12,
        "read": {"trades": SourceRead(records=100, malformed={"NOT_JSON": 5})},
        "expression_nulls": {"stats": 3},
        "given": {"trades": 95, "stats": 12},
        "steps": {"stats": {"rows": 7, "bytes": 700, "late": 2}},
        "limit_reached": {},
        "watermark_us": 2_000_000,
        "state_rows": 7,
        "state_bytes": 700,
    }
    return ProgressReport.model_validate(
        {
            "at_us": at_us,
            "engine_id": run.engine_id,
            "incarnation": "inc-1",
            "run_id": run.pk,
            "epoch": 1,
            "batch": 1,
            "began_us": at_us,
            "duration_ms": 1000,
            "sources": {"trades": cells},
            **fields,
            **progress,
        }
    )
