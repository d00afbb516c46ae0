from django.apps import AppConfig


class ConsumerGroupsConfig(AppConfig):
    name = "weir.consumer_groups"
    label = "consumer_groups"
    default_auto_field = "django.db.models.BigAutoField"
