from django.apps import AppConfig
from django.utils.module_loading import import_string

from weir.runs.signals import job_deleted as gone


class ResultsConfig(AppConfig):
    name = "weir.results"
    label = "results"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        gone.connect(import_string("weir.results.forgetting.job_deleted"), dispatch_uid="weir.results")
