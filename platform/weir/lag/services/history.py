"""Writes lag and its history. Nothing else writes these tables."""

from typing import Any, Final

from django.db import transaction

from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services.run_counts import RunCounts
from weir.retention import LAG_HISTORY_RETENTION_US

ALIAS: Final = "results"
_PURGE_BATCH_SIZE: Final = 2_000


def record(points: list[LagPoint], payloads: dict[str, dict[str, Any]], now_us: int) -> None:
    """Store one point and the current lag of each job.

    Args:
        points: unsaved points.
        payloads: job id → payload for the API.
        now_us: the current time.
    """
    latest = [
        CurrentLag(job_id=job_id, at_us=now_us, payload=payload) for job_id, payload in payloads.items()
    ]
    with transaction.atomic(using=ALIAS):
        LagPoint.objects.using(ALIAS).bulk_create(points)
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


def purge_expired(now_us: int) -> int:
    """Delete points older than an hour, at most 2,000 per call.

    Returns:
        How many were deleted; call again until it is 0.
    """
    points = LagPoint.objects.using(ALIAS)
    old = list(
        points.filter(at_us__lt=now_us - LAG_HISTORY_RETENTION_US).values_list("pk", flat=True)[
            :_PURGE_BATCH_SIZE
        ]
    )
    for at in range(0, len(old), 400):
        points.filter(pk__in=old[at : at + 400]).delete()
    return len(old)


def delete_lag(job_id: str) -> None:
    """Delete the lag and the history of a job."""
    CurrentLag.objects.using(ALIAS).filter(job_id=job_id).delete()
    LagPoint.objects.using(ALIAS).filter(job_id=job_id).delete()
