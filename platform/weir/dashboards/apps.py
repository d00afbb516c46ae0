from django.apps import AppConfig


class DashboardsConfig(AppConfig):
    name = "weir.dashboards"
    label = "dashboards"
    default_auto_field = "django.db.models.BigAutoField"
