from django.apps import AppConfig
from django.utils.module_loading import import_string

from weir.clusters.signals import keys_in_use, keys_rotated
from weir.runs.signals import execution_changed


class OpenLineageConfig(AppConfig):
    name = "weir.openlineage"
    label = "openlineage"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        for signal, name in (
            (execution_changed, "execution_changed"),
            (keys_rotated, "keys_rotated"),
            (keys_in_use, "keys_in_use"),
        ):
            signal.connect(
                import_string(f"weir.openlineage.receivers.{name}"), dispatch_uid="weir.openlineage"
            )
