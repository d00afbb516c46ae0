from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "weir.runs"
    default_auto_field = "django.db.models.BigAutoField"
