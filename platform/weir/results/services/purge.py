"""Deletes stored results, in slices: a writer waits for one of them, not for all."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connections, transaction
from django.db.models import Min, QuerySet

from weir.results.models import ALIAS, STATEMENT_BATCH_SIZE, ResultRow, ResultTopic

SLICE_ROWS: Final = 2_500
"""The most rows that a call deletes; one that deleted fewer has deleted all."""
_LOOK_MS: Final = 600_000  # of a look at all rows of a result


def oldest_ms(job_id: str, generation: int) -> int | None:
    """The least Kafka timestamp of a result's rows, in ms; None without rows. It looks at every row.

    Args:
        job_id: of the result.
        generation: of that job.
    """
    with _unhurried():
        found: int | None = _rows(job_id, generation).aggregate(oldest=Min("timestamp_ms"))["oldest"]
    return found


def purge_older(job_id: str, generation: int, before_ms: int) -> int:
    """Delete a slice of the rows with an older timestamp, as the topic's retention does.

    Args:
        job_id: of the result.
        generation: of that job.
        before_ms: Kafka timestamp in ms.

    Returns:
        How many were deleted.
    """
    return _delete(_rows(job_id, generation), SLICE_ROWS, timestamp_ms__lt=before_ms)


def surplus_rows(job_id: str, generation: int, keep: int) -> int:
    """How many rows a result has beyond so many. It counts all of them."""
    with _unhurried():
        return max(0, _rows(job_id, generation).count() - keep)


def purge_oldest(job_id: str, generation: int, most: int) -> int:
    """Delete the oldest rows of an append-only result, a slice and so many at most.

    Returns:
        How many were deleted.
    """
    oldest = _rows(job_id, generation).order_by("newest_input_us", "digest")
    return _delete(oldest, min(most, SLICE_ROWS))


def purge_rows(job_id: str, generation: int) -> int:
    """Delete a slice of a generation's rows, not its offsets; returns how many were deleted."""
    return _delete(_rows(job_id, generation), SLICE_ROWS)


def delete_generation(job_id: str, generation: int) -> int:
    """Delete a slice of a generation's rows, after its topic or its job was deleted, and with the last
    rows its offsets.

    Returns:
        How many rows were deleted.
    """
    deleted = purge_rows(job_id, generation)
    if deleted < SLICE_ROWS:
        with transaction.atomic(using=ALIAS):
            # The offsets first: without them a relay that follows the generation still stores no more rows,
            # and those that it has stored meanwhile would be found by no later purge.
            ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()
            delete_rows(job_id, generation)
    return deleted


def delete_rows(job_id: str, generation: int) -> None:
    """Delete all of a generation's rows at once, not its offsets."""
    _rows(job_id, generation).delete()


@contextmanager
def _unhurried() -> Iterator[None]:
    """A look at all rows of a result takes more than the time that PostgreSQL gives a statement of a request,
    where they are many: then they would be the ones that are never deleted. SQLite has no such limit.
    """
    connection = connections[ALIAS]
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(using=ALIAS):
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {_LOOK_MS}")
        yield


def _rows(job_id: str, generation: int) -> QuerySet[ResultRow]:
    return ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)


def _delete(rows: QuerySet[ResultRow], most: int, **which: Any) -> int:
    """Delete the first of those of some rows that fulfill a condition; one that was written anew since it was
    found, and does not any more, stays. Returns how many were found.

    A statement names its rows by their primary key alone: SQLite, asked for the job too, finds all of the
    job's rows by that index and looks through them, 20 s for 5,000 of ten million.
    """
    with _unhurried():
        keys = list(rows.filter(**which).values_list("pk", flat=True)[: max(0, most)])
    with transaction.atomic(using=ALIAS):
        for at in range(0, len(keys), STATEMENT_BATCH_SIZE):
            named = ResultRow.objects.using(ALIAS).filter(pk__in=keys[at : at + STATEMENT_BATCH_SIZE])
            named.filter(**which).delete()
    return len(keys)
