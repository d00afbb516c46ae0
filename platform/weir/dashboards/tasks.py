"""Celery tasks of dashboards."""

from celery import shared_task

from weir.dashboards.services import purge


@shared_task
def purge_links() -> None:
    """Delete links and tickets that ended a while ago."""
    purge.purge()
