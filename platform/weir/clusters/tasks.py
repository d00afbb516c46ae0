"""Celery tasks of this app."""

from celery import shared_task

from weir.clusters.services import upkeep
from weir.clusters.services.checks import check_all
from weir.clusters.services.clusters import all_clusters


@shared_task
def check_clusters() -> None:
    """Check whether every cluster is reachable; of those that have become so, read the upkeep at once."""
    if answering := check_all():
        upkeep.read_upkeep(answering)


@shared_task
def read_upkeep() -> None:
    """Ask all clusters how full their disks are, and until when their certificates are valid."""
    upkeep.read_upkeep(all_clusters())
