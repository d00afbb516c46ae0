from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "weir.live"
    label = "live"
