from importlib import import_module
from typing import Any

from django.apps import AppConfig

from weir.clusters.signals import connection_changed


class RunsConfig(AppConfig):
    name = "weir.runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        connection_changed.connect(_reconnect, dispatch_uid="weir.runs")


def _reconnect(cluster_id: str, actor: Any, **_: Any) -> None:
    # Models exist only now that all apps are ready.
    import_module("weir.runs.services.reconnecting").reconnect(cluster_id, actor)
