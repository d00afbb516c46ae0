from django.apps import AppConfig
from django.utils.module_loading import import_string

from weir.runs.signals import job_deleted


class LagConfig(AppConfig):
    name = "weir.lag"
    label = "lag"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        job_deleted.connect(import_string("weir.lag.receivers.job_deleted"), dispatch_uid="weir.lag")
