"""Runs pytest with a PostgreSQL server as the database of everything, in place of SQLite files.

python -m tests.support.on_postgres [arguments of pytest]
"""

import os
import subprocess
import sys

from tests.support.postgres_node import PostgresServer

# Of a test's own threads, too, which asyncio keeps until its loop ends.
CONNECTIONS = {"WEIR_DATABASE_CONNECTIONS": "40"}


def main() -> int:
    """The command line; the exit code is pytest's."""
    server = PostgresServer({"max_connections": "300"})
    try:
        server.prepare()
        command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
        return subprocess.run(
            command, env=os.environ | server.variables | CONNECTIONS, check=False
        ).returncode
    finally:
        server.remove()


if __name__ == "__main__":
    sys.exit(main())
