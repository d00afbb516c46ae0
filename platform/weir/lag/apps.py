from django.apps import AppConfig


class LagConfig(AppConfig):
    name = "weir.lag"
    label = "lag"
    default_auto_field = "django.db.models.BigAutoField"
