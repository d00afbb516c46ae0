from typing import Any

from django.apps import AppConfig

from weir.clusters.signals import connection_changed
from weir.runs.task_queue import RECONNECT, enqueue


class RunsConfig(AppConfig):
    name = "weir.runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        connection_changed.connect(_reconnect, dispatch_uid="weir.runs")


def _reconnect(cluster_id: str, actor: Any, **_: Any) -> None:
    # A cluster that does not answer takes seconds for each of its jobs: a worker waits for it,
    # not the person who asks.
    enqueue(RECONNECT, cluster_id, actor.pk if actor is not None else None)
