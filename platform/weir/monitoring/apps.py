from django.apps import AppConfig


class MonitoringConfig(AppConfig):
    name = "weir.monitoring"
    label = "monitoring"
