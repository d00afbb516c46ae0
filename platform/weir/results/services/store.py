"""Stores results and offsets of result topics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from weir.results.models import ALIAS, STATEMENT_BATCH_SIZE, ResultOffset, ResultRow, ResultTopic
from weir.results.services.fencing import Fence
from weir.results.services.purge import SLICE_ROWS, delete_rows, purge_rows
from weir.results.services.records import ResultRecord, key_digest
from weir.results.services.upserts import RowValues, upsert


class StaleOffsetsError(Exception):
    """Another relay has stored this partition meanwhile. Read the stored offsets again and seek to them.

    Attributes:
        topic: the result topic's name.
        partition: where the compare-and-set failed.
    """

    def __init__(self, topic: str, partition: int) -> None:
        super().__init__(f"partition {partition} of {topic} was moved by another relay")
        self.topic = topic
        self.partition = partition


@dataclass(frozen=True, slots=True)
class TopicPosition:
    """Stored position in a result topic: its row's id, offsets by partition, and the fence."""

    pk: int
    offsets: dict[int, int]
    fence: Fence


@dataclass(frozen=True, slots=True)
class TopicFlush:
    """Rows and offsets of one topic, stored by one flush.

    Attributes:
        pk: of the `ResultTopic`.
        job_id: of the result.
        generation: of that job.
        topic: its name, for errors.
        rows: newest record per key, tombstones included.
        advances: partition → (stored offset, new offset).
        fence: epochs after these rows.
    """

    pk: int
    job_id: str
    generation: int
    topic: str
    rows: Sequence[ResultRecord]
    advances: dict[int, tuple[int, int]]
    fence: Fence


def open_topic(
    *,
    job_id: str,
    generation: int,
    topic: str,
    topic_id: str,
    partitions: int,
    whole_from: Mapping[int, int] | None = None,
) -> TopicPosition:
    """Start or resume storing a generation's topic.

    The rows and offsets are deleted, and the topic is to be read from its start, if it was recreated (another
    `topic_id`), or if what was stored may lack deletions: it ends before `whole_from`.

    Args:
        job_id: of the result.
        generation: of that job.
        topic: its name.
        topic_id: Kafka's UUID of it.
        partitions: their current number.
        whole_from: by partition, the offset from which on the topic still has every tombstone; None: it
            has none.
    """
    with transaction.atomic(using=ALIAS):
        row, created = ResultTopic.objects.using(ALIAS).get_or_create(
            job_id=job_id, generation=generation, defaults={"topic": topic, "topic_id": topic_id}
        )
        if not created and _is_outdated(row, topic_id, whole_from):
            delete_rows(job_id, generation)
            row.delete()
            row = ResultTopic.objects.using(ALIAS).create(
                job_id=job_id, generation=generation, topic=topic, topic_id=topic_id
            )
        stored = {offset.partition: offset for offset in row.offsets.using(ALIAS).all()}
        missing = [
            ResultOffset(topic=row, partition=partition)
            for partition in range(partitions)
            if partition not in stored
        ]
        ResultOffset.objects.using(ALIAS).bulk_create(missing)
        stored |= {offset.partition: offset for offset in missing}
    epochs = {partition: offset.epoch for partition, offset in stored.items()}
    offsets = {partition: offset.next_offset for partition, offset in stored.items()}
    return TopicPosition(row.pk, offsets, Fence(epochs, row.epoch, row.epoch_since_ms))


def clear_outdated(job_id: str, generation: int, topic_id: str, whole_from: Mapping[int, int] | None) -> bool:
    """Delete a slice of the rows that `open_topic` would delete; True once there is none of them.

    The offsets go first: until the topic is opened again, readers find nothing stored, and not a part of it.

    Args:
        job_id: of the result.
        generation: of that job.
        topic_id: as of `open_topic`, as is the next.
        whole_from: by partition.
    """
    row = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).first()
    if row is not None:
        if not _is_outdated(row, topic_id, whole_from):
            return True
        row.delete()
    return purge_rows(job_id, generation) < SLICE_ROWS


def _is_outdated(row: ResultTopic, topic_id: str, whole_from: Mapping[int, int] | None) -> bool:
    return row.topic_id != topic_id or _may_lack_deletions(row, whole_from or {})


def _may_lack_deletions(row: ResultTopic, whole_from: Mapping[int, int]) -> bool:
    """Of a partition at its start nothing is stored that could have been deleted."""
    return any(
        0 < offset.next_offset < whole_from.get(offset.partition, 0)
        for offset in row.offsets.using(ALIAS).all()
    )


def store(flushes: Sequence[TopicFlush]) -> None:
    """Store rows and offsets of several topics in one transaction.

    Raises:
        StaleOffsetsError: another relay has stored them; nothing was stored.
    """
    with transaction.atomic(using=ALIAS):
        for flush in flushes:
            _advance(flush)
            _delete_rows(flush)
        upsert(_rows_of(flushes))


def stored_offsets() -> dict[tuple[int, int], int]:
    """The next offset of each partition of every topic, by id of the `ResultTopic` and partition."""
    found = ResultOffset.objects.using(ALIAS).values_list("topic_id", "partition", "next_offset")
    return {(pk, partition): offset for pk, partition, offset in found}


def move_offset(pk: int, partition: int, stored: int, offset: int) -> None:
    """Set a partition's offset without rows, because retention has deleted the records at the old one. If
    another relay has moved it meanwhile, it stays, and this relay's next `store` is refused.

    Args:
        pk: of the `ResultTopic`.
        partition: of the topic.
        stored: the old offset.
        offset: the new one.
    """
    offsets = ResultOffset.objects.using(ALIAS)
    offsets.filter(topic_id=pk, partition=partition, next_offset=stored).update(next_offset=offset)


def _advance(flush: TopicFlush) -> None:
    offsets = ResultOffset.objects.using(ALIAS)
    for partition, (stored, now) in flush.advances.items():
        epoch = flush.fence.partitions.get(partition, 0)
        moved = offsets.filter(topic_id=flush.pk, partition=partition, next_offset=stored).update(
            next_offset=now, epoch=epoch
        )
        if not moved:
            raise StaleOffsetsError(flush.topic, partition)
    ResultTopic.objects.using(ALIAS).filter(pk=flush.pk).update(
        epoch=flush.fence.epoch, epoch_since_ms=flush.fence.since_ms
    )


def _delete_rows(flush: TopicFlush) -> None:
    rows = ResultRow.objects.using(ALIAS)
    deleted = [key_digest(row.key) for row in flush.rows if row.value is None]
    for digests in _chunks(deleted, STATEMENT_BATCH_SIZE):
        rows.filter(job_id=flush.job_id, generation=flush.generation, digest__in=digests).delete()


def _rows_of(flushes: Sequence[TopicFlush]) -> Iterator[RowValues]:
    """The rows to write, in the order of `upserts.COLUMNS`."""
    for flush in flushes:
        job_id, generation = flush.job_id, flush.generation
        for row in flush.rows:
            if row.value is not None:
                yield (job_id, generation, key_digest(row.key), *row)


def _chunks(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))
