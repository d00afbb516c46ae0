from django.apps import AppConfig


class PreviewConfig(AppConfig):
    name = "weir.preview"
    label = "preview"
