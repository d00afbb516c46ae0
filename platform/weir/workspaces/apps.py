from django.apps import AppConfig
from django.core.checks import Tags, register

from weir.workspaces.checks import proxies_are_counted, quotas_are_known


class WorkspacesConfig(AppConfig):
    name = "weir.workspaces"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register(Tags.security)(proxies_are_counted)
        register()(quotas_are_known)
