"""Applies an edit to dead letters and checks the result against the contract of the
stream that they are sent to.
"""

from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.budget import OverBudget, spend
from jobs.formats.dead_letters import original_headers, parse_headers
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed
from weir.clusters.services.message_headers import headers_of
from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services.dead_letter_topic import dead_letter_topic_of
from weir.dead_letters.services.edits import EditError, EditOperation, apply_operations
from weir.dead_letters.services.indexing import fetch_messages
from weir.dead_letters.services.selection import Selection, select
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget, shown_text
from weir.streams.services.topic_ref import TopicRef, stream_ref

PREVIEW_SIZE: Final = 20
_MAX_SAMPLE_CHARS: Final = 2_000


@dataclass(frozen=True)
class RecordContent:
    """What decides whether a record is valid: its value, key and headers, and its Kafka timestamp in µs."""

    value: bytes | None
    key: bytes | None
    timestamp_us: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


def apply_edit(
    record: RecordContent, operations: list[EditOperation], target: Stream, ref: TopicRef
) -> bytes:
    """The value of a dead letter after an edit.

    Args:
        record: as it was kept.
        operations: in their order.
        target: the stream that it is sent to.
        ref: of `target`; built once for many dead letters.

    Raises:
        EditError: an operation cannot be applied, or the result is not valid for the target's contract.
    """
    value = apply_operations(record.value, operations)
    require_valid(value, record, target, ref)
    return value


def require_valid(value: bytes | None, record: RecordContent, target: Stream, ref: TopicRef) -> None:
    """Check an edited value against the contract of the target.

    Raises:
        EditError: the record would be malformed.
    """
    decoded = decode(
        value, record.key, target.stream_contract, record.timestamp_us, ref.schema_of, headers=record.headers
    )
    if isinstance(decoded, Malformed):
        raise EditError(
            f"Still invalid for {target.name} after the edit ({decoded.reason}): {decoded.detail}"
        )


def preview(
    validator: Validator, selection: Selection, target: Stream, operations: list[EditOperation]
) -> dict[str, Any]:
    """Apply an edit to the newest waiting dead letters of a selection, without sending anything.

    Raises:
        ServiceError: the selection is invalid.
        NotFoundError: none of the selected dead letters is waiting.
        UnreachableError: the cluster does not answer.
    """
    waiting = select(validator, selection)
    newest = sorted(
        waiting.order_by("-pk")[:PREVIEW_SIZE], key=lambda each: (each.dead_partition, each.dead_offset)
    )
    messages, _ = fetch_messages(dead_letter_topic_of(validator), newest)
    ref = stream_ref(target)
    with page_budget():
        samples = [
            _sample(each, messages[each.pk], operations, target, ref)
            for each in newest
            if each.pk in messages
        ]
    valid = sum(sample["valid"] for sample in samples)
    return {"selected": waiting.count(), "tested": len(samples), "valid": valid, "samples": samples}


def _sample(
    dead_letter: DeadLetter, message: Message, operations: list[EditOperation], target: Stream, ref: TopicRef
) -> dict[str, Any]:
    value: Any = message.value()
    headers = headers_of(message)
    parsed = parse_headers(headers)
    before, is_text = shown_text(value, _MAX_SAMPLE_CHARS)
    coordinates = {"id": dead_letter.pk, "partition": dead_letter.partition, "offset": dead_letter.offset}
    after, reason = None, ""
    try:
        if parsed is None or parsed.original_size is not None:
            raise EditError("The value was truncated when it was kept.")
        record = RecordContent(value, parsed.key, dead_letter.timestamp_us, tuple(original_headers(headers)))
        spend(0)
        after = apply_operations(value, operations)
        require_valid(after, record, target, ref)
    except EditError as error:
        reason = str(error)
    except OverBudget as over:
        after, reason = None, f"Not tried here: {over}. Select fewer dead letters."
    after_text = None if after is None else shown_text(after, _MAX_SAMPLE_CHARS)[0]
    return {
        **coordinates,
        "before": before,
        "before_is_text": is_text,
        "after": after_text,
        "valid": not reason,
        "error": reason,
    }
