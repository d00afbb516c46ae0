"""The lease by which one process of several watches a cluster."""

import time
from collections.abc import Collection
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q

from jobs.base.set_back_clock import latest_us
from weir.consumer_groups.models import ClusterWatch

ALIAS: Final = "results"
LEASE_S: Final = 6.0
RENEW_INTERVAL_S: Final = 2.0


def renew(holder: str, cluster_ids: Collection[str]) -> frozenset[str]:
    """Renew the leases of a process, and take those that ended or that nobody has.

    Args:
        holder: names the process.
        cluster_ids: of all clusters.

    Returns:
        The clusters that this process watches until `LEASE_S` from now.
    """
    now_us = time.time_ns() // 1000
    watches = ClusterWatch.objects.using(ALIAS)
    with transaction.atomic(using=ALIAS):
        # One that lasts longer than any may is of a clock that was set back since.
        longest_us = latest_us() + int(LEASE_S * 1_000_000)
        free = Q(holder=holder) | Q(expires_us__lt=now_us) | Q(expires_us__gt=longest_us)
        watches.filter(free, pk__in=cluster_ids).update(
            holder=holder, expires_us=now_us + int(LEASE_S * 1_000_000)
        )
        held = set(watches.filter(holder=holder, expires_us__gt=now_us).values_list("pk", flat=True))
    for cluster_id in set(cluster_ids) - held - set(watches.values_list("pk", flat=True)):
        try:
            watches.create(cluster_id=cluster_id, holder=holder, expires_us=now_us + int(LEASE_S * 1_000_000))
        except IntegrityError:  # another process was faster
            continue
        held.add(cluster_id)
    return frozenset(held & set(cluster_ids))


def holds(holder: str, cluster_id: str) -> bool:
    """Whether a process still has its lease. Asked in the transaction that writes what a pass found.

    Args:
        holder: names the process.
        cluster_id: of the cluster.
    """
    now_us = time.time_ns() // 1000
    return (
        ClusterWatch.objects.using(ALIAS).filter(pk=cluster_id, holder=holder, expires_us__gt=now_us).exists()
    )


def release(holder: str) -> None:
    """Give up all leases of a process that ends, so that another one takes over at once."""
    ClusterWatch.objects.using(ALIAS).filter(holder=holder).update(expires_us=0)
