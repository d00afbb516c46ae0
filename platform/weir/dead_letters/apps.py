from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete
from django.utils.module_loading import import_string


class DeadLettersConfig(AppConfig):
    name = "weir.dead_letters"
    label = "dead_letters"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        post_delete.connect(
            _delete_validator_job,
            sender=import_string("weir.dead_letters.models.Validator"),
            dispatch_uid="weir.dead_letters",
        )


def _delete_validator_job(instance: Any, **_: Any) -> None:
    """Delete the job of a validator that was deleted with its stream."""
    import_string("weir.dead_letters.services.lifecycle.delete_validator_job")(instance.job_id)
