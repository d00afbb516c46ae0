"""Prepares the databases of the embedded system for this version and this place."""

import os

import django
from django.conf import settings
from django.core.management import call_command

from weir.embedded.layout import read_layout
from weir.embedded.migrations_stamp import remember
from weir.embedded.programs import environment


def main() -> None:
    """Bring all databases up to date; jobs of a data folder that was moved find their checkpoints in it, and
    their engines the queue of this host.
    """
    # The installation runs this without a supervisor, from which it would inherit the environment.
    os.environ.update(environment(read_layout()))
    django.setup()
    for database in settings.DATABASES:
        call_command("migrate", database=database, interactive=False, verbosity=0)
    # Models can only be imported once Django is set up.
    from weir.runs.services.moved_checkpoints import find_moved  # noqa: PLC0415
    from weir.runs.services.moved_engines import take_engines  # noqa: PLC0415

    find_moved()
    if not os.environ.get("DATABASE_URL"):  # else other hosts may have the same database
        take_engines()
    remember(read_layout())


if __name__ == "__main__":
    main()
