"""Celery tasks of logs."""

from celery import shared_task

from weir.run_logs.services import store


@shared_task
def purge_lines() -> None:
    """Delete lines that are past the retention."""
    store.purge()
