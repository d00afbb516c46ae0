from django.apps import AppConfig


class SchemasConfig(AppConfig):
    name = "weir.schemas"
    label = "schemas"
