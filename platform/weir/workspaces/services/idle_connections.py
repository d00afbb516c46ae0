"""Connections to the databases of a thread that waits for something else."""

from django.db import connections


def give_back_connections() -> None:
    """Close this thread's connections; the next query makes another. On PostgreSQL a process has a few, and
    Django keeps a thread's until its request ends. Within a transaction a connection stays.
    """
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
