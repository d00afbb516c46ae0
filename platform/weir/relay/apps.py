from django.apps import AppConfig


class RelayConfig(AppConfig):
    name = "weir.relay"
    label = "relay"
