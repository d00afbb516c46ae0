"""The test's databases for other processes."""

from django.db import connections


def database_url(alias: str) -> str:
    """What another process is told to use the same database."""
    given = connections[alias].settings_dict
    if connections[alias].vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    return f"postgres://{given['USER']}:{given['PASSWORD']}@{given['HOST']}:{given['PORT']}/{given['NAME']}"
