"""Checks regularly whether every cluster is reachable."""

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final

import structlog
from django.utils import timezone

from weir.clusters.models import Cluster
from weir.clusters.services.clusters import all_clusters, profile_of
from weir.clusters.services.reachability import reachable
from weir.workspaces.errors import UNEXPECTED, ServiceError

_LOG: Final = structlog.get_logger("weir.clusters")
CHECK_TIMEOUT_S: Final = 5.0


def check_all() -> list[Cluster]:
    """Check all clusters concurrently, so that one that does not answer delays no other.

    Returns:
        Those that answer, and did not when they were checked last, or had not been checked.
    """
    rows = all_clusters()
    with ThreadPoolExecutor(min(16, len(rows)), thread_name_prefix="clusters") as pool:
        checks = {row.pk: pool.submit(_check, row) for row in rows}
        wait(checks.values(), CHECK_TIMEOUT_S)
        found = {pk: check.result() if check.done() else "Kafka timed out." for pk, check in checks.items()}
        for row in rows:
            _store_check(row, found[row.pk])
    return [row for row in rows if not found[row.pk] and not row.reachable]


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
