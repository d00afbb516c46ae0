"""What there may be one of: a name in a workspace, a kind of objective for a job."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import IntegrityError, transaction

from weir.workspaces.errors import ConflictError

_FOREIGN_KEY: Final = "23503"  # PostgreSQL's code of a row that refers to one that is not there


@contextmanager
def unique_or(taken: ConflictError) -> Iterator[None]:
    """A transaction that ends with `taken` where there is such a row already.

    Raises:
        ConflictError: `taken`.
        IntegrityError: what a row refers to was deleted meanwhile; the API answers with 404.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if refers_to_gone_row(error):
            raise
        raise taken from error


def refers_to_gone_row(error: IntegrityError) -> bool:
    """True where what a new row refers to was deleted between its look-up and the change."""
    return getattr(error.__cause__, "sqlstate", "") == _FOREIGN_KEY or "FOREIGN KEY" in str(error)
