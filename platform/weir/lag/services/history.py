"""Writes lag and its history. Nothing else writes these tables."""

from typing import Any, Final

from django.db import transaction

from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services.history_tables import ALIAS, FINEST_S, US, HistoryTable, write_points
from weir.lag.services.point_buffer import PointBuffer
from weir.lag.services.run_counts import RunCounts
from weir.lag.services.tracker import COUNTERS

JOB_POINTS: Final = HistoryTable(
    LagPoint,
    "job_id",
    (
        "lag_records",
        "lag_seconds",
        "rows_in_per_second",
        "rows_out_per_second",
        "freshness_seconds",
        "watermark_delay_seconds",
        "latency_ms",
        "state_rows",
        "state_bytes",
    ),
    counts=COUNTERS,
)


def record(points: list[LagPoint], payloads: dict[str, dict[str, Any]], now_us: int) -> None:
    """Store the point of the present ten seconds and the current lag of each job.

    Args:
        points: unsaved points.
        payloads: job id → payload for the API.
        now_us: the current time.
    """
    latest = [
        CurrentLag(job_id=job_id, at_us=now_us, payload=payload) for job_id, payload in payloads.items()
    ]
    with transaction.atomic(using=ALIAS):
        write_points(JOB_POINTS, points)
        replaced = ["at_us", "payload"]
        CurrentLag.objects.using(ALIAS).bulk_create(
            latest, update_conflicts=True, unique_fields=["job_id"], update_fields=replaced
        )


def stored_counts(job_id: str, run_id: str) -> RunCounts:
    """What a run had counted when its lag was stored last; nothing for a run of another generation.

    Args:
        job_id: of the run.
        run_id: which run.
    """
    stored = CurrentLag.objects.using(ALIAS).filter(pk=job_id).first()
    if stored is None or stored.payload.get("run_id") != run_id:
        return RunCounts()
    return RunCounts.of_json(stored.payload["counts"])


def stored_point(job_id: str, now_us: int) -> PointBuffer:
    """The point of the present as another process may have stored it, to go on with.

    Args:
        job_id: whose.
        now_us: the present.
    """
    buffer = PointBuffer()
    at_us = now_us - now_us % (FINEST_S * US)
    stored = JOB_POINTS.rows.filter(job_id=job_id, resolution_s=FINEST_S, at_us=at_us).first()
    if stored is not None:
        values = {
            name: (getattr(stored, name), getattr(stored, f"{name}_min"), getattr(stored, f"{name}_max"))
            for name in JOB_POINTS.measures
        }
        known = {name: spans for name, spans in values.items() if None not in spans}
        buffer.go_on(at_us, known, {name: getattr(stored, name) or 0 for name in COUNTERS})
    return buffer


def delete_lag(job_id: str) -> None:
    """Delete the lag and the history of a job."""
    CurrentLag.objects.using(ALIAS).filter(job_id=job_id).delete()
    LagPoint.objects.using(ALIAS).filter(job_id=job_id).delete()
