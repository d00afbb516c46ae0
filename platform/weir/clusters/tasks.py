"""What beat asks of this room."""

from celery import shared_task

from weir.clusters.services import check_all


@shared_task
def check_clusters() -> None:
    """Ask every cluster whether it is there."""
    check_all()
