from django.apps import AppConfig


class ClustersConfig(AppConfig):
    name = "weir.clusters"
    default_auto_field = "django.db.models.BigAutoField"
