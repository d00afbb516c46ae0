from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete
from django.utils.module_loading import import_string


class GuardsConfig(AppConfig):
    name = "weir.guards"
    label = "guards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        post_delete.connect(_gone, sender=import_string("weir.guards.models.Guard"), dispatch_uid="weir.guards")


def _gone(instance: Any, **_: Any) -> None:
    """A stream that is forgotten takes its guard with it, and the guard its job."""
    import_string("weir.guards.services.switching.forget_job")(instance.job_id)
