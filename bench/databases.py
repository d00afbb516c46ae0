"""The databases that Weir can use, and programs of the bench that have Django set up on one of them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.support.postgres_node import PostgresServer
from weir.embedded.layout import REPOSITORY

DATABASES: Final = ("SQLite", "PostgreSQL")


@contextmanager
def database(name: str) -> Iterator[tuple[dict[str, str], int]]:
    """Variables that make Weir use a database, and its process; 0 without one.

    Args:
        name: of `DATABASES`.
    """
    if name == "SQLite":
        yield {}, 0
        return
    server = PostgresServer({"fsync": "on"})  # as in production
    try:
        server.prepare()
        yield server.variables, server.pid
    finally:
        server.remove()


def run_with_django(folder: Path, variables: dict[str, str], module: str, *arguments: str) -> dict[str, Any]:
    """Run a module whose last line is what it measured, as JSON.

    Args:
        folder: of its data.
        variables: of its environment.
        module: its name.
        arguments: of its command line.

    Raises:
        CalledProcessError: it failed; its errors stand above.
    """
    environment = {
        **os.environ,
        **variables,
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
        "WEIR_DATA_DIR": str(folder),
        "PYTHONPATH": os.environ.get("PYTHONPATH", f"{REPOSITORY / 'platform'}:{REPOSITORY}"),
    }
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
