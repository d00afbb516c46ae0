"""Queries of stored results: rows and their offsets, from one consistent snapshot."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.db import connections, transaction
from django.db.models import QuerySet

from weir.results.models import ALIAS, ResultOffset, ResultRow, ResultTopic
from weir.results.services.fencing import Fence
from weir.results.services.records import row_json

# A result row may have a megabyte, and a web process serves everybody: what is read at once is bounded.
SNAPSHOT_CHARACTERS: Final = 32 * 1024 * 1024
PAGE_CHARACTERS: Final = 4 * 1024 * 1024
_FETCHED_ROWS: Final = 32
COUNTED_ROWS: Final = 100_000  # counting ten million takes a second or more, and each subscription asks
_COLUMNS: Final = (
    "key",
    "value",
    "newest_input_us",
    "offset",
    "partition",
    "partial",
    "digest",
    "timestamp_ms",
)


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored row."""

    key: str
    value: str
    newest_input_us: int
    offset: int
    partition: int
    partial: bool
    digest: str
    timestamp_ms: int

    def as_json(self) -> str:
        """The row of the WebSocket protocol."""
        return row_json(
            key=self.key,
            value=self.value,
            newest_input_us=self.newest_input_us,
            offset=self.offset,
            partition=self.partition,
            partial=self.partial,
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A generation's rows and their offsets.

    Attributes:
        topic_id: Kafka's UUID of the result topic; empty if nothing was stored yet.
        offsets: partition → next offset; the rows include every change before it, and none after.
        rows: newest first, up to the limit of rows or characters.
        total: number of stored rows, counted up to 100,000.
        total_exact: False where there are more rows than were counted.
        ended: the rows are the last ones; False where a limit cut them off.
    """

    topic_id: str
    offsets: dict[int, int]
    rows: list[StoredRow]
    total: int
    total_exact: bool = True
    ended: bool = True


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Queries inside see one state of the results database, without blocking writers.

    `transaction.atomic` would take SQLite's write lock (its transactions begin IMMEDIATE here), so SQLite
    gets an explicit deferred transaction; PostgreSQL needs repeatable read.
    """
    connection = connections[ALIAS]
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic(using=ALIAS):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def read_snapshot(
    job_id: str,
    generation: int,
    limit: int,
    after: tuple[int, str] | None = None,
    max_characters: int = SNAPSHOT_CHARACTERS,
) -> Snapshot:
    """The newest rows of a generation with their offsets, from one consistent snapshot.

    Args:
        job_id: of the result.
        generation: of that job.
        limit: max. rows.
        after: (newest_input_us, digest) of the last row of the previous page; None for the newest rows.
        max_characters: of keys and values together; the row that exceeds it is the last one.
    """
    with consistent_snapshot():
        topic = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).first()
        if topic is None:
            return Snapshot("", {}, [], 0)
        stored = ResultOffset.objects.using(ALIAS).filter(topic=topic).values_list("partition", "next_offset")
        offsets = {partition: offset for partition, offset in stored}
        matching = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
        page = matching
        if after is not None:
            newest, digest = after
            page = page.filter(newest_input_us__lte=newest).exclude(
                newest_input_us=newest, digest__gte=digest
            )
        rows, ended = _bounded(page.order_by("-newest_input_us", "-digest"), limit, max_characters)
        all_read = ended and after is None
        counted = len(rows) if all_read else matching[: COUNTED_ROWS + 1].count()
    exact = all_read or counted <= COUNTED_ROWS
    return Snapshot(topic.topic_id, offsets, rows, counted if exact else COUNTED_ROWS, exact, ended)


def read_position(job_id: str, generation: int) -> tuple[str, dict[int, int], Fence]:
    """Stored position of a generation: topic id (empty if nothing was stored), partition →
    next offset, and the fence.
    """
    with consistent_snapshot():
        topic = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).first()
        if topic is None:
            return "", {}, Fence()
        stored = list(ResultOffset.objects.using(ALIAS).filter(topic=topic))
    fence = Fence({row.partition: row.epoch for row in stored}, topic.epoch, topic.epoch_since_ms)
    return topic.topic_id, {row.partition: row.next_offset for row in stored}, fence


def read_by_key(
    job_id: str, generation: int, limit: int, after: str, max_characters: int = PAGE_CHARACTERS
) -> list[StoredRow]:
    """Rows in the order of their digests, which updates do not change: to read all rows in chunks.

    Args:
        job_id: of the result.
        generation: of that job.
        limit: max. rows.
        after: the last digest of the previous chunk; empty for the first.
        max_characters: of keys and values together; the row that exceeds it is the last one.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation, digest__gt=after)
    with consistent_snapshot():
        return _bounded(rows.order_by("digest"), limit, max_characters)[0]


def read_rows(
    job_id: str, generation: int, places: Mapping[tuple[int, int], str], max_characters: int
) -> list[StoredRow]:
    """Rows that are still where they were, in the order in which they were written; at least one, if there is
    one.

    Args:
        job_id: of the result.
        generation: of that job.
        places: (partition, offset) → digest of the row that was there.
        max_characters: of keys and values together; the row that exceeds it is the last one.
    """
    offsets = {offset for _, offset in places}
    rows = ResultRow.objects.using(ALIAS).filter(
        job_id=job_id, generation=generation, digest__in=places.values(), offset__in=offsets
    )
    found = _bounded(rows.order_by("timestamp_ms", "partition", "offset"), len(places), max_characters)[0]
    return [row for row in found if places.get((row.partition, row.offset)) == row.digest]


def _bounded(rows: QuerySet[ResultRow], limit: int, max_characters: int) -> tuple[list[StoredRow], bool]:
    """Rows in their order up to a limit, and whether there are no more.

    A row may have a megabyte, so rows are fetched a few at a time.
    """
    found: list[StoredRow] = []
    characters = 0
    for values in rows.values_list(*_COLUMNS)[: limit + 1].iterator(chunk_size=_FETCHED_ROWS):
        if len(found) == limit or characters > max_characters:
            return found, False
        row = StoredRow(*values)
        found.append(row)
        characters += len(row.key) + len(row.value)
    return found, True
