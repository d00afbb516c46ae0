from django.apps import AppConfig


class StreamsConfig(AppConfig):
    name = "weir.streams"
    default_auto_field = "django.db.models.BigAutoField"
