"""Checks regularly whether every cluster is reachable."""

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final

import structlog
from django.utils import timezone

from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import all_clusters, profile_of
from weir.clusters.services.reachability import reachable
from weir.workspaces.errors import UNEXPECTED, ServiceError

_LOG: Final = structlog.get_logger("weir.clusters")
CHECK_TIMEOUT_S: Final = 5.0
_THREADS: Final = 16


def check_all() -> list[Cluster]:
    """Check all clusters concurrently, so that one that does not answer delays no other.

    Where so many don't answer that the turn of others doesn't come within `CHECK_TIMEOUT_S`, nothing new is
    known of these; theirs is the first turn the next time.

    Returns:
        Those that answer, and did not when they were checked last, or had not been checked.
    """
    rows = sorted(all_clusters(), key=_checked_at)
    pool = ThreadPoolExecutor(min(_THREADS, len(rows)), thread_name_prefix="clusters")
    checks = [(row, pool.submit(_check, row)) for row in rows]
    wait([check for _, check in checks], CHECK_TIMEOUT_S)
    pool.shutdown(wait=False, cancel_futures=True)
    found = [
        (row, check.result() if check.done() else "Kafka timed out.")
        for row, check in checks
        if not check.cancelled()
    ]
    for row, error in found:
        _store_check(row, error)
    return [row for row, error in found if not error and not row.reachable]


def _checked_at(row: Cluster) -> tuple[bool, float]:
    """The home cluster first, which everything needs, then those whose last check is the longest ago."""
    return row.pk != HOME, row.checked_at.timestamp() if row.checked_at is not None else 0.0


def _check(row: Cluster) -> str:
    try:
        return reachable(profile_of(row))
    except ServiceError as error:
        return error.detail
    except Exception:  # noqa: BLE001 - a defect in one keeps no other from being checked
        _LOG.exception("a cluster could not be checked", cluster=row.pk)
        return UNEXPECTED


def _store_check(row: Cluster, error: str) -> None:
    # A connection that was changed meanwhile is another one, of which this says nothing.
    Cluster.objects.filter(pk=row.pk, revision=row.revision).update(
        reachable=not error, checked_at=timezone.now(), error=error[:500]
    )
