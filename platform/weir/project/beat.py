"""The Celery application of the process beat, whose ticks name tasks that workers have.

Tasks, and the models behind them, are not loaded: they take most of the time that a process needs to start,
and two thirds of its memory.
"""

import logging.config

from celery.loaders.app import AppLoader

from weir.project.celery import app
from weir.project.logs import LOGGING


class NoTasks(AppLoader):  # type: ignore[misc]  # celery has no types
    """Loads no tasks; beat sends a tick whose task it does not have by name."""

    def init_worker(self) -> None:
        """Would import all tasks."""


app.loader = NoTasks(app=app)
logging.config.dictConfig(LOGGING)  # which Django would do, once it is set up
