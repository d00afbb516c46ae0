"""Which database a model lives in."""

from typing import Any, Final

from django.db.models import Model

RESULTS_APPS: Final = frozenset({"results", "lag", "consumer_groups"})


class ResultsRouter:
    """Results, their offsets and metric history live apart, so that they never make the
    control tables wait.
    """

    def db_for_read(self, model: type[Model], **hints: Any) -> str:  # noqa: ARG002 - Django's signature
        """The alias that the model is read from."""
        return "results" if model._meta.app_label in RESULTS_APPS else "default"

    db_for_write = db_for_read

    def allow_relation(self, obj1: Model, obj2: Model, **hints: Any) -> bool:  # noqa: ARG002 - Django's signature
        """Foreign keys never cross databases."""
        # Not type(…): the user of a request is a lazy object.
        return (obj1._meta.app_label in RESULTS_APPS) == (obj2._meta.app_label in RESULTS_APPS)

    def allow_migrate(self, db: str, app_label: str, model_name: str | None = None, **hints: Any) -> bool:  # noqa: ARG002 - Django's signature
        """Each app's tables exist in its own database only."""
        return db == ("results" if app_label in RESULTS_APPS else "default")
