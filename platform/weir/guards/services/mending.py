"""Letters as they are edited: a group at once, by the same steps, and only such as then fit the stream that they go to."""

from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Message

from jobs.formats.dead_letters import original_headers, parse_headers
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed
from weir.guards.edits import EditError, Step, edited
from weir.guards.models import DeadLetter, Guard
from weir.guards.services.choosing import Choice, chosen
from weir.guards.services.dead_topic import dead_topic_of
from weir.guards.services.reading import letter_messages
from weir.streams.decoding import shown_text
from weir.streams.models import Stream
from weir.streams.topic_ref import TopicRef, stream_ref

LOOKED: Final = 20
_SHOWN: Final = 2_000  # characters of a sample


@dataclass(frozen=True)
class LetterRecord:
    """The record that a letter holds: its value and key, Kafka's timestamp of it in µs, and the headers that it came with."""

    value: bytes | None
    key: bytes | None
    at_us: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


def mended(letter: LetterRecord, steps: list[Step], target: Stream, ref: TopicRef) -> bytes:
    """A letter's value after the edit.

    Args:
        letter: as it was kept.
        steps: of the edit.
        target: where it goes.
        ref: of `target`; found once for many letters.

    Raises:
        EditError: it cannot be edited so, or does not fit the target's contract then.
    """
    made = edited(letter.value, steps)
    require_fit(made, letter, target, ref)
    return made


def require_fit(value: bytes | None, letter: LetterRecord, target: Stream, ref: TopicRef) -> None:
    """What is edited is sent only when it fits.

    Raises:
        EditError: it does not.
    """
    found = decode(value, letter.key, target.stream_contract, letter.at_us, ref.schema_of, headers=letter.headers)
    if isinstance(found, Malformed):
        raise EditError(f"Still invalid for {target.name} after the edit ({found.reason}): {found.detail}")


def preview(guard: Guard, choice: Choice, target: Stream, steps: list[Step]) -> dict[str, Any]:
    """What an edit would make of the newest waiting letters of a choice; nothing is sent.

    Raises:
        ServiceError: not said which letters.
        NotFoundError: none of them waits.
        UnreachableError: the cluster does not answer.
    """
    waiting = chosen(guard, choice)
    newest = sorted(waiting.order_by("-pk")[:LOOKED], key=lambda letter: (letter.dead_partition, letter.dead_offset))
    messages, _ = letter_messages(dead_topic_of(guard), newest)
    ref = stream_ref(target)
    rows = [_sample(letter, messages[letter.pk], steps, target, ref) for letter in newest if letter.pk in messages]
    fit = sum(row["fits"] for row in rows)
    return {"waiting": waiting.count(), "looked": len(rows), "fit": fit, "samples": rows}


def _sample(letter: DeadLetter, message: Message, steps: list[Step], target: Stream, ref: TopicRef) -> dict[str, Any]:
    value: Any = message.value()
    headers: Any = message.headers() or []
    told = parse_headers(headers)
    before, is_text = shown_text(value, _SHOWN)
    row = {"id": letter.pk, "partition": letter.partition, "offset": letter.offset, "before": before, "before_is_text": is_text}
    after, why = None, ""
    try:
        if told is None or told.original_size is not None:
            raise EditError("Only the beginning of the record was kept.")
        record = LetterRecord(value, told.key, letter.at_us, tuple(original_headers(headers)))
        after = edited(value, steps)
        require_fit(after, record, target, ref)
    except EditError as error:
        why = str(error)
    return {**row, "after": None if after is None else shown_text(after, _SHOWN)[0], "fits": not why, "why": why}
