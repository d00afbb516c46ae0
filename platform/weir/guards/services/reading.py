"""Dead-letter topics read into rows: one per record, however often a restart wrote its letter."""

from typing import Any, Final

from confluent_kafka import Message
from django.db import transaction

from jobs.base.instants import Instant, datetime_of
from jobs.formats.dead_letters import parse_headers
from weir.clusters.topics import watermarks
from weir.guards.models import DeadLetter, Guard
from weir.guards.services.dead_topic import DeadTopic, dead_topic_of
from weir.streams.decoding import shown_text
from weir.streams.scan import OffsetRange, scan

AT_ONCE: Final = 5_000
PREVIEW: Final = 200
_ROWS: Final = 500


def read_letters(guard: Guard) -> bool:
    """Read what is new; True when more is left. Doing it twice, or twice at once, changes nothing.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    topic = dead_topic_of(guard)
    facts = topic.facts()
    if facts is None:
        Guard.objects.filter(pk=guard.pk).update(unread=False)
        return False
    followed: dict[str, int] = guard.followed if guard.dead_topic_id == facts.topic_id else {}
    logs = {at[1]: both for at, both in watermarks(topic.profile, {topic.name: facts.partitions}).items()}
    found = scan(topic.profile, topic.name, _ranges(logs, followed), AT_ONCE)
    rows = [row for message in found.messages if (row := _row(guard, message)) is not None]
    reached = {str(partition): max(found.positions.get(partition, low), low) for partition, (low, _) in logs.items()}
    is_more = any(reached[str(partition)] < high for partition, (_, high) in logs.items())
    with transaction.atomic():
        locked = Guard.objects.select_for_update().get(pk=guard.pk)
        if (locked.dead_topic_id, locked.followed) != (guard.dead_topic_id, guard.followed):
            return True  # somebody else read meanwhile
        if locked.dead_topic_id not in ("", facts.topic_id):
            DeadLetter.objects.filter(guard=guard).delete()  # their bytes are gone with the old topic
        _forget_below(guard, logs)
        DeadLetter.objects.bulk_create(rows, batch_size=_ROWS, ignore_conflicts=True)
        locked.dead_topic_id, locked.followed, locked.unread = facts.topic_id, reached, is_more
        locked.save(update_fields=["dead_topic_id", "followed", "unread"])
    return is_more


def letter_messages(topic: DeadTopic, letters: list[DeadLetter]) -> tuple[dict[int, Message], set[int]]:
    """The records of letters in their topic, by the letter's id, and the ids of those that are no longer there.

    Letters that are in neither were not reached within the budget of one look.

    Args:
        topic: of the guard's dead letters.
        letters: in the order of their places.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    wanted = {(letter.dead_partition, letter.dead_offset): letter.pk for letter in letters}
    facts = topic.facts()
    logs = {at[1]: both for at, both in watermarks(topic.profile, {topic.name: facts.partitions}).items()} if facts is not None else {}
    ranges: dict[int, OffsetRange] = {}
    for partition, (low, high) in logs.items():
        offsets = [offset for p, offset in wanted if p == partition and low <= offset < high]
        if offsets:
            ranges[partition] = OffsetRange(min(offsets), max(offsets) + 1, low, high)
    found = scan(topic.profile, topic.name, ranges, len(wanted), accepts=lambda message: (message.partition(), message.offset()) in wanted)
    messages = {wanted[message.partition() or 0, message.offset() or 0]: message for message in found.messages}
    gone = {pk for place, pk in wanted.items() if pk not in messages and not _is_held(place, logs, found.positions)}
    return messages, gone


def _is_held(place: tuple[int, int], logs: dict[int, tuple[int, int]], looked: dict[int, int]) -> bool:
    """Whether a place may still have a record: it lies in the log, and was not looked at yet."""
    partition, offset = place
    low, high = logs.get(partition, (0, 0))
    return low <= offset < high and offset >= looked.get(partition, low)


def _ranges(logs: dict[int, tuple[int, int]], followed: dict[str, int]) -> dict[int, OffsetRange]:
    return {p: OffsetRange(max(low, min(followed.get(str(p), low), high)), high, low, high) for p, (low, high) in logs.items()}


def _forget_below(guard: Guard, logs: dict[int, tuple[int, int]]) -> None:
    """Letters that Kafka no longer keeps cannot be looked at or sent again."""
    for partition, (low, _) in logs.items():
        if low > 0:
            DeadLetter.objects.filter(guard=guard, dead_partition=partition, dead_offset__lt=low).delete()


def _row(guard: Guard, message: Message) -> DeadLetter | None:
    """The row of a dead letter; None for a record that is none."""
    headers: Any = message.headers() or []
    letter = parse_headers(headers)
    if letter is None or letter.topic != guard.stream.topic:
        return None
    value: Any = message.value()
    text, is_text = shown_text(value, PREVIEW)
    return DeadLetter(
        guard=guard,
        topic_id=letter.topic_id,
        partition=letter.partition,
        offset=letter.offset,
        dead_partition=message.partition() or 0,
        dead_offset=message.offset() or 0,
        at=datetime_of(Instant(max(0, letter.timestamp_ms) * 1000)),
        reason=letter.reason[:40],
        size=letter.original_size or len(value or b""),
        preview=(text or "")[:PREVIEW],
        preview_is_text=is_text,
        times=letter.redrive_count,
    )
