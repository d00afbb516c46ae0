"""Whether the database was migrated by a newer version of Weir, as while an upgrade is under way."""

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader


def unknown_migrations() -> list[str]:
    """The migrations that the control database has and this version of Weir doesn't know, such as
    ``runs.0031_x``, in order; one query.
    """
    loader = MigrationLoader(connection, ignore_no_migrations=True)
    unknown = set(loader.applied_migrations) - set(loader.disk_migrations)
    ours = {config.label for config in apps.get_app_configs()}
    return sorted(f"{app}.{name}" for app, name in unknown if app in ours)
