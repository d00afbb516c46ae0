"""Settings, routes and entry points of the processes."""

from weir.project.celery import app as celery_app

__all__ = ["celery_app"]
