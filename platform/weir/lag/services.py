"""The only writers of lag and its history."""

from typing import Any, Final

from django.db import transaction

from weir.lag.models import LagNow, LagPoint

ALIAS: Final = "results"
KEPT_US: Final = 3_600_000_000
_PRUNE_AT_ONCE: Final = 2_000


def record(points: list[LagPoint], bodies: dict[str, dict[str, Any]], now_us: int) -> None:
    """Store one tick: a point per job and the latest lag of each.

    Args:
        points: unsaved points.
        bodies: job id → what the API shows.
        now_us: the tick's instant.
    """
    latest = [LagNow(job_id=job_id, at_us=now_us, body=body) for job_id, body in bodies.items()]
    with transaction.atomic(using=ALIAS):
        LagPoint.objects.using(ALIAS).bulk_create(points)
        LagNow.objects.using(ALIAS).bulk_create(latest, update_conflicts=True, unique_fields=["job_id"], update_fields=["at_us", "body"])


def prune(now_us: int) -> int:
    """Delete points older than an hour; at most 2,000 in a call.

    Returns:
        How many were deleted; call again while it is not 0.
    """
    points = LagPoint.objects.using(ALIAS)
    old = list(points.filter(at_us__lt=now_us - KEPT_US).values_list("pk", flat=True)[:_PRUNE_AT_ONCE])
    for at in range(0, len(old), 400):
        points.filter(pk__in=old[at : at + 400]).delete()
    return len(old)


def forget(job_id: str) -> None:
    """Remove everything about a deleted job."""
    LagNow.objects.using(ALIAS).filter(job_id=job_id).delete()
    LagPoint.objects.using(ALIAS).filter(job_id=job_id).delete()
