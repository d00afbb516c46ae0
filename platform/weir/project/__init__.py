"""Settings, routes and entry points of the processes."""

from jobs.base.garbage import load_first

load_first()

from weir.project.celery import app as celery_app  # noqa: E402  # loads most of what there is

__all__ = ["celery_app"]
