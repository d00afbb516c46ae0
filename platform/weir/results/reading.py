"""Reading materialised results: rows and the offsets they stand at, from one point in time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.db import connections, transaction

from weir.results.fencing import Fence
from weir.results.models import ResultOffset, ResultRow, ResultTopic
from weir.results.records import row_json
from weir.results.services import ALIAS

_COLUMNS: Final = ("key", "value", "newest_input_us", "offset", "partition", "partial", "digest", "timestamp_ms")


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored row, as read."""

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
    """A generation's rows and the position they stand at.

    Attributes:
        topic_id: Kafka's UUID of the topic they come from; empty when nothing was ever stored.
        offsets: partition → next offset; every change before it is in the rows, none after it.
        rows: newest first, at most as many as were asked for.
        total: how many are stored.
    """

    topic_id: str
    offsets: dict[int, int]
    rows: list[StoredRow]
    total: int


@contextmanager
def one_point_in_time() -> Iterator[None]:
    """Reads inside see one state of the results database, and hold up no writer.

    `transaction.atomic` would take SQLite's write lock (its transactions begin IMMEDIATE here), so on SQLite a plain
    deferred one is begun by hand; PostgreSQL needs repeatable read.
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


def read_snapshot(job_id: str, generation: int, limit: int) -> Snapshot:
    """The newest rows of a generation with the offset vector, from one point in time.

    Args:
        job_id: whose result it is.
        generation: of that job.
        limit: rows at most.
    """
    with one_point_in_time():
        topic = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).first()
        if topic is None:
            return Snapshot("", {}, [], 0)
        stored = ResultOffset.objects.using(ALIAS).filter(topic=topic).values_list("partition", "next_offset")
        offsets = {partition: offset for partition, offset in stored}
        matching = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
        rows = [StoredRow(*row) for row in matching.order_by("-newest_input_us", "-digest").values_list(*_COLUMNS)[:limit]]
        total = len(rows) if len(rows) < limit else matching.count()
    return Snapshot(topic.topic_id, offsets, rows, total)


def read_position(job_id: str, generation: int) -> tuple[str, dict[int, int], Fence]:
    """How far a generation is stored: topic id (empty for not at all), partition → next offset, and the epochs seen."""
    with one_point_in_time():
        topic = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).first()
        if topic is None:
            return "", {}, Fence()
        stored = list(ResultOffset.objects.using(ALIAS).filter(topic=topic))
    fence = Fence({row.partition: row.epoch for row in stored}, topic.epoch, topic.epoch_since_ms)
    return topic.topic_id, {row.partition: row.next_offset for row in stored}, fence


def read_page(job_id: str, generation: int, limit: int, after: tuple[int, str] | None) -> list[StoredRow]:
    """A page of rows, newest first.

    Args:
        job_id: whose result it is.
        generation: of that job.
        limit: rows at most.
        after: (newest_input_us, digest) of the last row of the page before; None for the first page.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    if after is not None:
        newest, digest = after
        rows = rows.filter(newest_input_us__lte=newest).exclude(newest_input_us=newest, digest__gte=digest)
    return [StoredRow(*row) for row in rows.order_by("-newest_input_us", "-digest").values_list(*_COLUMNS)[:limit]]


def read_by_key(job_id: str, generation: int, limit: int, after: str) -> list[StoredRow]:
    """Rows in the order of their digests, which no update disturbs: for reading everything in pieces.

    Args:
        job_id: whose result it is.
        generation: of that job.
        limit: rows at most.
        after: the last digest of the piece before; the empty text for the first piece.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation, digest__gt=after)
    return [StoredRow(*row) for row in rows.order_by("digest").values_list(*_COLUMNS)[:limit]]
