"""Deletes many rows a slice at a time, so that whoever writes waits for one slice alone."""

import math
import time
from typing import Any, Final

from django.db.models import QuerySet

SLICE_ROWS: Final = 500  # of one statement, which names them by their primary keys


def delete_in_slices(rows: QuerySet[Any], within_s: float = math.inf) -> bool:
    """Delete rows, with what belongs to them, each slice in a transaction of its own.

    Args:
        rows: May be cut (`[1_000:]`). A row that is found is deleted, even if it does not fulfill a condition
            of `rows` any more.
        within_s: Seconds after which no slice is begun; at least one is.

    Returns:
        Whether none is left; if not, call again.
    """
    until = time.monotonic() + within_s
    while True:
        keys = list(rows.values_list("pk", flat=True)[:SLICE_ROWS])
        if keys:
            rows.model._default_manager.using(rows.db).filter(pk__in=keys).delete()
        if len(keys) < SLICE_ROWS:
            return True
        if time.monotonic() >= until:
            return False
