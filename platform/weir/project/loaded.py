"""Loads what the platform's processes need, once, for all that are forked from this one
(`weir.embedded.forking_supervisord`).
"""

from jobs.base.garbage import keep_loaded


def load() -> None:
    """Load the settings, all tasks, the web interface with its views, and the server."""
    # In this order: Django's settings come with Celery's application.
    from weir.project.celery import app  # noqa: PLC0415  # what loads them has a name of its own

    app.loader.import_default_modules()
    from weir.project import asgi  # noqa: F401, PLC0415
    from weir.project.web_server import load_views  # noqa: PLC0415

    load_views()
    keep_loaded()
