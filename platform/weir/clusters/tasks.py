"""Celery tasks of this app."""

from celery import shared_task

from weir.clusters.services.checks import check_all


@shared_task
def check_clusters() -> None:
    """Check whether every cluster is reachable."""
    check_all()
