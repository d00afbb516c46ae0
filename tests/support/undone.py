"""A part of a test that leaves nothing in the databases."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import connections, transaction


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is rolled back, in a test that is a transaction itself."""
    with ExitStack() as ends:
        for alias in connections:
            ends.enter_context(transaction.atomic(using=alias))
            ends.callback(transaction.set_rollback, True, using=alias)
        yield
