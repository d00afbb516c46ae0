from django.apps import AppConfig


class DiagnosisConfig(AppConfig):
    name = "weir.diagnosis"
    label = "diagnosis"
