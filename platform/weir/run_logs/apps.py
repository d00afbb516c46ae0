from django.apps import AppConfig


class RunLogsConfig(AppConfig):
    name = "weir.run_logs"
    label = "run_logs"
    default_auto_field = "django.db.models.BigAutoField"
