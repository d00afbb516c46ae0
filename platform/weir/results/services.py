"""The only writers of materialised results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from weir.results.fencing import Fence
from weir.results.models import ResultOffset, ResultRow, ResultTopic, row_fields
from weir.results.records import ResultRecord, key_digest

ALIAS: Final = "results"
_KEYS_AT_ONCE: Final = 400  # parameters in one statement: SQLite's old limit is 999
_PRUNE_AT_ONCE: Final = 5_000


class StaleOffsetsError(Exception):
    """Another relay has stored this partition since we read its offset. Read the offsets again and seek there.

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
    """Where the store stands in one result topic: its row's id, offsets per partition, and the fence as stored."""

    pk: int
    offsets: dict[int, int]
    fence: Fence


@dataclass(frozen=True, slots=True)
class TopicFlush:
    """What one flush stores of one topic.

    Attributes:
        pk: of the `ResultTopic`.
        job_id: whose result it is.
        generation: of that job.
        topic: its name, for errors.
        rows: newest record per key, tombstones included.
        advances: partition → (offset that the store holds, offset to hold now).
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
    """Begin or go on storing a generation's topic.

    A topic that was recreated (another `topic_id`) starts over: its rows and offsets are those of a topic that is gone.

    Args:
        job_id: whose result it is.
        generation: of that job.
        topic: its name.
        topic_id: Kafka's UUID of it.
        partitions: how many it has now.
    """
    with transaction.atomic(using=ALIAS):
        row, created = ResultTopic.objects.using(ALIAS).get_or_create(
            job_id=job_id, generation=generation, defaults={"topic": topic, "topic_id": topic_id}
        )
        if not created and row.topic_id != topic_id:
            _forget_rows(job_id, generation)
            row.delete()
            row = ResultTopic.objects.using(ALIAS).create(job_id=job_id, generation=generation, topic=topic, topic_id=topic_id)
        held = {offset.partition: offset for offset in row.offsets.using(ALIAS).all()}
        missing = [ResultOffset(topic=row, partition=partition) for partition in range(partitions) if partition not in held]
        ResultOffset.objects.using(ALIAS).bulk_create(missing)
        held |= {offset.partition: offset for offset in missing}
    epochs = {partition: offset.epoch for partition, offset in held.items()}
    offsets = {partition: offset.next_offset for partition, offset in held.items()}
    return TopicPosition(row.pk, offsets, Fence(epochs, row.epoch, row.epoch_since_ms))


def store(flushes: Sequence[TopicFlush]) -> None:
    """Store rows and offsets of several topics in one transaction.

    Raises:
        StaleOffsetsError: another relay was faster; nothing was stored.
    """
    with transaction.atomic(using=ALIAS):
        for flush in flushes:
            _advance(flush)
            _write_rows(flush)


def move_offset(pk: int, partition: int, offset: int) -> None:
    """Set a partition's offset without rows: the log no longer holds what stood there (deleted by retention)."""
    ResultOffset.objects.using(ALIAS).filter(topic_id=pk, partition=partition).update(next_offset=offset)


def _advance(flush: TopicFlush) -> None:
    offsets = ResultOffset.objects.using(ALIAS)
    for partition, (held, now) in flush.advances.items():
        epoch = flush.fence.partitions.get(partition, 0)
        moved = offsets.filter(topic_id=flush.pk, partition=partition, next_offset=held).update(next_offset=now, epoch=epoch)
        if not moved:
            raise StaleOffsetsError(flush.topic, partition)
    ResultTopic.objects.using(ALIAS).filter(pk=flush.pk).update(epoch=flush.fence.epoch, epoch_since_ms=flush.fence.since_ms)


def _write_rows(flush: TopicFlush) -> None:
    rows = ResultRow.objects.using(ALIAS)
    gone = [key_digest(row.key) for row in flush.rows if row.value is None]
    for digests in _chunks(gone, _KEYS_AT_ONCE):
        rows.filter(job_id=flush.job_id, generation=flush.generation, digest__in=digests).delete()
    kept = [
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
    rows.bulk_create(kept, update_conflicts=True, unique_fields=["job_id", "generation", "digest"], update_fields=list(row_fields()))


def _chunks(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def prune_older(job_id: str, generation: int, before_ms: int) -> int:
    """Delete rows appended before an instant, as the topic's own retention does; at most 5,000 in a call.

    Args:
        job_id: whose result it is.
        generation: of that job.
        before_ms: Kafka time in ms.

    Returns:
        How many were deleted; call again while it is not 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    old = list(rows.filter(timestamp_ms__lt=before_ms).values_list("pk", flat=True)[:_PRUNE_AT_ONCE])
    return _delete(old)


def prune_surplus(job_id: str, generation: int, keep: int) -> int:
    """Delete the oldest rows beyond the newest `keep`; at most 5,000 in a call. For append-only results.

    Returns:
        How many were deleted; call again while it is not 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    surplus = rows.count() - keep
    if surplus <= 0:
        return 0
    return _delete(list(rows.order_by("newest_input_us", "digest").values_list("pk", flat=True)[: min(surplus, _PRUNE_AT_ONCE)]))


def _delete(keys: list[int]) -> int:
    with transaction.atomic(using=ALIAS):
        for at in range(0, len(keys), _KEYS_AT_ONCE):
            ResultRow.objects.using(ALIAS).filter(pk__in=keys[at : at + _KEYS_AT_ONCE]).delete()
    return len(keys)


def _forget_rows(job_id: str, generation: int) -> None:
    ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()


def forget(job_id: str, generation: int) -> None:
    """Remove a generation's rows and offsets: its topic is gone or its job was deleted."""
    with transaction.atomic(using=ALIAS):
        _forget_rows(job_id, generation)
        ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()
