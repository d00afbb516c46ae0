from django.apps import AppConfig
from django.db.models.signals import post_save
from django.utils.module_loading import import_string

from weir.clusters.signals import keys_in_use, keys_rotated
from weir.runs.signals import job_deleted, job_row_needed


class AlertsConfig(AppConfig):
    name = "weir.alerts"
    label = "alerts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        receivers = "weir.alerts.receivers"
        post_save.connect(
            import_string(f"{receivers}.workspace_saved"),
            sender="workspaces.Workspace",
            dispatch_uid="weir.alerts",
        )
        job_deleted.connect(import_string(f"{receivers}.job_deleted"), dispatch_uid="weir.alerts")
        job_row_needed.connect(import_string(f"{receivers}.job_row_needed"), dispatch_uid="weir.alerts")
        keys_rotated.connect(import_string(f"{receivers}.keys_rotated"), dispatch_uid="weir.alerts")
        keys_in_use.connect(import_string(f"{receivers}.keys_in_use"), dispatch_uid="weir.alerts")
