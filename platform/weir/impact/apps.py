from django.apps import AppConfig
from django.utils.module_loading import import_string

# List of hooks → the hook of this app.
_HOOKS = {
    "weir.schemas.services.impact_hooks.IMPACT_HOOKS": "weir.impact.services.schema_change.review_schema",
    "weir.streams.services.impact_hooks.IMPACT_HOOKS": "weir.impact.services.schema_change.review_contract",
}


class ImpactConfig(AppConfig):
    name = "weir.impact"
    label = "impact"

    def ready(self) -> None:
        # Models can only be imported from here on.
        for list_path, hook_path in _HOOKS.items():
            hooks, hook = import_string(list_path), import_string(hook_path)
            if hook not in hooks:
                hooks.append(hook)
