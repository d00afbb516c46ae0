"""Indexes dead-letter topics in the database: one row per record, even if a restart wrote its dead letter
twice. While `MAX_WAITING` wait to be redriven or discarded, the others stay in the topic alone.
"""

from collections.abc import Collection
from typing import Any, Final

from confluent_kafka import Message
from django.db import transaction

from jobs.base.instants import datetime_of, nearest_instant
from jobs.formats.dead_letters import parse_headers
from weir.clusters.services.message_headers import headers_of
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import TopicInfo
from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services.dead_letter_topic import DeadLetterTopic, dead_letter_topic_of
from weir.row_deletion import delete_in_slices
from weir.streams.services.decoding import shown_text
from weir.streams.services.scan import OffsetRange, scan
from weir.workspaces.errors import ServiceError, UnreachableError

BATCH_SIZE: Final = 5_000
MAX_WAITING: Final = 200_000  # of one validator: a contract that no record of a large topic fits rejects all
EXPIRED: Final = "This dead letter expired (topic retention)."
MAX_PREVIEW_CHARS: Final = 200
_INSERT_BATCH_SIZE: Final = 500


def index_dead_letters(validator: Validator) -> bool:
    """Index one batch of new dead letters. Repeated and concurrent calls are harmless.

    `Validator.index_pending` stays set until a later call finds nothing new, and while there is no room.

    Returns:
        Whether more are left. False where another worker indexed this batch meanwhile: it goes on.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    topic = dead_letter_topic_of(validator)
    pending = Validator.objects.filter(pk=validator.pk)
    # Before the topic's end is read: whoever counts more dead letters from now on sets it again.
    pending.update(index_pending=False)
    try:
        info = topic.describe()
        logs = {} if info is None else _logs(topic, info)
    except ServiceError:
        pending.update(index_pending=True)
        raise
    if info is None:
        return False
    indexed_offsets: dict[str, int] = (
        validator.indexed_offsets if validator.dead_letter_topic_id == info.topic_id else {}
    )
    new = _new_ranges(logs, indexed_offsets)
    if any(each.start < each.end for each in new.values()):
        pending.update(index_pending=True)
    if validator.dead_letter_topic_id == info.topic_id:
        _delete_expired(validator, logs)
    waiting = DeadLetter.objects.filter(validator=validator, state=DeadLetter.State.WAITING).count()
    if waiting >= MAX_WAITING:
        return False
    found = scan(topic.profile, topic.name, new, min(BATCH_SIZE, MAX_WAITING - waiting))
    rows = [row for message in found.messages if (row := _row(validator, message)) is not None]
    reached = {
        str(partition): max(found.positions.get(partition, low), low) for partition, (low, _) in logs.items()
    }
    is_more = any(reached[str(partition)] < high for partition, (_, high) in logs.items())
    with transaction.atomic():
        locked = Validator.objects.select_for_update().get(pk=validator.pk)
        if (locked.dead_letter_topic_id, locked.indexed_offsets) != (
            validator.dead_letter_topic_id,
            validator.indexed_offsets,
        ):
            return False
        if locked.dead_letter_topic_id not in ("", info.topic_id):
            DeadLetter.objects.filter(validator=validator).delete()  # their bytes are gone with the old topic
        DeadLetter.objects.bulk_create(rows, batch_size=_INSERT_BATCH_SIZE, ignore_conflicts=True)
        locked.dead_letter_topic_id, locked.indexed_offsets = info.topic_id, reached
        locked.save(update_fields=["dead_letter_topic_id", "indexed_offsets"])
    return is_more


def fetch_messages(
    topic: DeadLetterTopic, dead_letters: list[DeadLetter]
) -> tuple[dict[int, Message], set[int]]:
    """Fetch the records of dead letters from Kafka.

    Args:
        topic: of the validator.
        dead_letters: ordered by partition and offset.

    Returns:
        The records by id of the dead letter, and the ids of dead letters that have expired. A dead letter
        that is in neither was not reached within the limits of one scan.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    ids = {
        (dead_letter.dead_partition, dead_letter.dead_offset): dead_letter.pk for dead_letter in dead_letters
    }
    info = topic.describe()
    logs = _logs(topic, info) if info is not None else {}
    found = scan(
        topic.profile,
        topic.name,
        _ranges_around(ids, logs),
        len(ids),
        accepts=lambda message: (message.partition(), message.offset()) in ids,
    )
    messages = {ids[message.partition() or 0, message.offset() or 0]: message for message in found.messages}
    expired = {
        pk
        for coordinates, pk in ids.items()
        if pk not in messages and not _may_exist(coordinates, logs, found.positions)
    }
    return messages, expired


def fetch_message(topic: DeadLetterTopic, dead_letter: DeadLetter) -> Message | None:
    """Fetch the record of one dead letter from Kafka; None if it has expired.

    Args:
        topic: of the validator.
        dead_letter: its row.

    Raises:
        UnreachableError: the cluster does not answer; RECORD_NOT_READ: the record did not come in time,
            twice: a large batch is waited for longer once it was seen.
    """
    for _ in range(2):
        messages, expired = fetch_messages(topic, [dead_letter])
        if dead_letter.pk in messages:
            return messages[dead_letter.pk]
        if dead_letter.pk in expired:
            return None
    raise UnreachableError(
        "RECORD_NOT_READ",
        "This dead letter couldn't be read in time: its batch is large, or the broker is busy. Try again.",
    )


def _logs(topic: DeadLetterTopic, info: TopicInfo) -> dict[int, tuple[int, int]]:
    """First and next offset by partition."""
    asked = watermarks(topic.profile, {topic.name: info.partitions}, committed=True)
    return {at[1]: both for at, both in asked.items()}


def _ranges_around(
    coordinates: Collection[tuple[int, int]], logs: dict[int, tuple[int, int]]
) -> dict[int, OffsetRange]:
    """By partition, the range from the first to the last of these coordinates that is within the log."""
    ranges: dict[int, OffsetRange] = {}
    for partition, (low, high) in logs.items():
        offsets = [offset for p, offset in coordinates if p == partition and low <= offset < high]
        if offsets:
            ranges[partition] = OffsetRange(min(offsets), max(offsets) + 1, low, high)
    return ranges


def _may_exist(
    coordinates: tuple[int, int], logs: dict[int, tuple[int, int]], positions: dict[int, int]
) -> bool:
    """Whether the log may contain a record at these coordinates: they are within its bounds
    and were not scanned yet.
    """
    partition, offset = coordinates
    low, high = logs.get(partition, (0, 0))
    return low <= offset < high and offset >= positions.get(partition, low)


def _new_ranges(logs: dict[int, tuple[int, int]], indexed_offsets: dict[str, int]) -> dict[int, OffsetRange]:
    return {
        p: OffsetRange(max(low, min(indexed_offsets.get(str(p), low), high)), high, low, high)
        for p, (low, high) in logs.items()
    }


def _delete_expired(validator: Validator, logs: dict[int, tuple[int, int]]) -> None:
    """Delete the rows of dead letters that Kafka has deleted, as they can neither be shown nor redriven.
    Those that a redrive has queued are its own: it finds them expired, and counts them.
    """
    redriven = (DeadLetter.State.QUEUED, DeadLetter.State.SENDING)
    for partition, (low, _) in logs.items():
        expired = DeadLetter.objects.filter(
            validator=validator, dead_partition=partition, dead_offset__lt=low
        ).exclude(state__in=redriven)
        delete_in_slices(expired)  # Kafka deletes a segment at once, which may be of very many


def _row(validator: Validator, message: Message) -> DeadLetter | None:
    """The row of a dead letter; None for a record that is not one."""
    headers = headers_of(message)
    parsed = parse_headers(headers)
    if parsed is None or parsed.topic != validator.stream.topic:
        return None
    value: Any = message.value()
    text, is_text = shown_text(value, MAX_PREVIEW_CHARS)
    return DeadLetter(
        validator=validator,
        topic_id=parsed.topic_id,
        partition=parsed.partition,
        offset=parsed.offset,
        dead_partition=message.partition() or 0,
        dead_offset=message.offset() or 0,
        timestamp=datetime_of(nearest_instant(max(0, parsed.timestamp_ms) * 1000)),
        reason=parsed.reason[:40],
        size=parsed.original_size or len(value or b""),
        preview=(text or "")[:MAX_PREVIEW_CHARS],
        preview_is_text=is_text,
        redrive_count=parsed.redrive_count,
    )
