from django.apps import AppConfig
from django.utils.module_loading import import_string

from weir.runs.signals import job_deleted


class ResultsConfig(AppConfig):
    name = "weir.results"
    label = "results"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        job_deleted.connect(import_string("weir.results.receivers.job_deleted"), dispatch_uid="weir.results")
