"""Writes stored results. Nothing else writes these tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from weir.results.fencing import Fence
from weir.results.models import ResultOffset, ResultRow, ResultTopic, row_fields
from weir.results.records import ResultRecord, key_digest

ALIAS: Final = "results"
_STATEMENT_BATCH_SIZE: Final = 400  # older SQLite allows 999 parameters per statement
_PURGE_BATCH_SIZE: Final = 5_000


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


def open_topic(*, job_id: str, generation: int, topic: str, topic_id: str, partitions: int) -> TopicPosition:
    """Start or resume storing a generation's topic.

    If the topic was recreated (another `topic_id`), the rows and offsets of the old one are deleted.

    Args:
        job_id: of the result.
        generation: of that job.
        topic: its name.
        topic_id: Kafka's UUID of it.
        partitions: their current number.
    """
    with transaction.atomic(using=ALIAS):
        row, created = ResultTopic.objects.using(ALIAS).get_or_create(
            job_id=job_id, generation=generation, defaults={"topic": topic, "topic_id": topic_id}
        )
        if not created and row.topic_id != topic_id:
            _delete_rows(job_id, generation)
            row.delete()
            row = ResultTopic.objects.using(ALIAS).create(job_id=job_id, generation=generation, topic=topic, topic_id=topic_id)
        stored = {offset.partition: offset for offset in row.offsets.using(ALIAS).all()}
        missing = [ResultOffset(topic=row, partition=partition) for partition in range(partitions) if partition not in stored]
        ResultOffset.objects.using(ALIAS).bulk_create(missing)
        stored |= {offset.partition: offset for offset in missing}
    epochs = {partition: offset.epoch for partition, offset in stored.items()}
    offsets = {partition: offset.next_offset for partition, offset in stored.items()}
    return TopicPosition(row.pk, offsets, Fence(epochs, row.epoch, row.epoch_since_ms))


def store(flushes: Sequence[TopicFlush]) -> None:
    """Store rows and offsets of several topics in one transaction.

    Raises:
        StaleOffsetsError: another relay has stored them; nothing was stored.
    """
    with transaction.atomic(using=ALIAS):
        for flush in flushes:
            _advance(flush)
            _write_rows(flush)


def move_offset(pk: int, partition: int, offset: int) -> None:
    """Set a partition's offset without rows, because retention has deleted the records at the old one."""
    ResultOffset.objects.using(ALIAS).filter(topic_id=pk, partition=partition).update(next_offset=offset)


def _advance(flush: TopicFlush) -> None:
    offsets = ResultOffset.objects.using(ALIAS)
    for partition, (stored, now) in flush.advances.items():
        epoch = flush.fence.partitions.get(partition, 0)
        moved = offsets.filter(topic_id=flush.pk, partition=partition, next_offset=stored).update(next_offset=now, epoch=epoch)
        if not moved:
            raise StaleOffsetsError(flush.topic, partition)
    ResultTopic.objects.using(ALIAS).filter(pk=flush.pk).update(epoch=flush.fence.epoch, epoch_since_ms=flush.fence.since_ms)


def _write_rows(flush: TopicFlush) -> None:
    rows = ResultRow.objects.using(ALIAS)
    deleted = [key_digest(row.key) for row in flush.rows if row.value is None]
    for digests in _chunks(deleted, _STATEMENT_BATCH_SIZE):
        rows.filter(job_id=flush.job_id, generation=flush.generation, digest__in=digests).delete()
    upserts = [
        ResultRow(
            job_id=flush.job_id,
            generation=flush.generation,
            digest=key_digest(row.key),
            key=row.key,
            value=row.value,
            newest_input_us=row.newest_input_us,
            partial=row.partial,
            epoch=row.epoch,
            partition=row.partition,
            offset=row.offset,
            timestamp_ms=row.timestamp_ms,
        )
        for row in flush.rows
        if row.value is not None
    ]
    rows.bulk_create(upserts, update_conflicts=True, unique_fields=["job_id", "generation", "digest"], update_fields=list(row_fields()))


def _chunks(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def purge_older(job_id: str, generation: int, before_ms: int) -> int:
    """Delete rows with an older timestamp, as the topic's retention does, at most 5,000 per call.

    Args:
        job_id: of the result.
        generation: of that job.
        before_ms: Kafka timestamp in ms.

    Returns:
        How many were deleted; call again until it is 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    old = list(rows.filter(timestamp_ms__lt=before_ms).values_list("pk", flat=True)[:_PURGE_BATCH_SIZE])
    return _delete(old)


def purge_surplus(job_id: str, generation: int, keep: int) -> int:
    """Delete all rows but the newest `keep` of an append-only result, at most 5,000 per call.

    Returns:
        How many were deleted; call again until it is 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    surplus = rows.count() - keep
    if surplus <= 0:
        return 0
    return _delete(list(rows.order_by("newest_input_us", "digest").values_list("pk", flat=True)[: min(surplus, _PURGE_BATCH_SIZE)]))


def _delete(keys: list[int]) -> int:
    with transaction.atomic(using=ALIAS):
        for at in range(0, len(keys), _STATEMENT_BATCH_SIZE):
            ResultRow.objects.using(ALIAS).filter(pk__in=keys[at : at + _STATEMENT_BATCH_SIZE]).delete()
    return len(keys)


def _delete_rows(job_id: str, generation: int) -> None:
    ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()


def delete_generation(job_id: str, generation: int) -> None:
    """Delete a generation's rows and offsets, after its topic or its job was deleted."""
    with transaction.atomic(using=ALIAS):
        _delete_rows(job_id, generation)
        ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()
