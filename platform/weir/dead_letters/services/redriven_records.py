"""The record that a redrive sends for a dead letter: as it was, edited, or replaced."""

from dataclasses import replace
from typing import Final

from confluent_kafka import Message

from jobs.base.budget import OverBudget
from jobs.formats.dead_letters import DeadLetter as ParsedDeadLetter
from jobs.formats.dead_letters import original_headers, parse_headers, redriven_headers
from jobs.formats.malformed_reasons import MAX_BYTES
from weir.clusters.services.message_headers import headers_of
from weir.dead_letters.models import DeadLetter, Redrive
from weir.dead_letters.services.editing import RecordContent, apply_edit
from weir.dead_letters.services.edits import EditError, EditOperation
from weir.dead_letters.services.replacement_record import load
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget
from weir.streams.services.record_input import NewRecord
from weir.streams.services.topic_ref import stream_ref

_MAX_HEADER_BYTES: Final = 8 * 1024


class CannotSendError(Exception):
    """A dead letter cannot be sent as its redrive asks; it waits again, with this text as its note."""


class RedrivenRecords:
    """The records of one redrive."""

    def __init__(self, redrive: Redrive, edit: list[EditOperation], target: Stream) -> None:
        """Prepare for many dead letters.

        Args:
            redrive: what is done with each.
            edit: its operations; empty: values stay as they are.
            target: the stream to whose topic they are sent.
        """
        self._redrive = redrive
        self._edit = edit
        self._target = target
        self._ref = stream_ref(target)

    def record_of(self, dead_letter: DeadLetter, message: Message) -> NewRecord:
        """The record to send for a dead letter, with the Kafka timestamp that it had: event times and what is
        too far ahead are judged by it.

        Args:
            dead_letter: its row.
            message: its record in the dead-letter topic.

        Raises:
            CannotSendError: the record is gone or was truncated, cannot be edited, or is too large.
        """
        headers = headers_of(message)
        parsed, replacement = parse_headers(headers), self._redrive.record
        if parsed is None:
            raise CannotSendError("The topic was recreated; the record is gone.")
        if replacement is not None:
            return self._replaced(parsed, load(replacement), dead_letter)
        if parsed.original_size is not None and self._redrive.value is None:
            raise CannotSendError(f"The value was truncated; it had {parsed.original_size} bytes.")
        value = self._value(parsed, dead_letter, message)
        sent = tuple(redriven_headers(headers, parsed, self._redrive.pk))
        made = NewRecord(value, parsed.key, sent, timestamp_ms=_timestamp_ms(parsed))
        return _within_limit(self._placed(made, dead_letter))

    def _value(self, parsed: ParsedDeadLetter, dead_letter: DeadLetter, message: Message) -> bytes | None:
        headers = headers_of(message)
        own = self._redrive.value
        value: bytes | None = message.value() if own is None else bytes(own)
        if not self._edit:
            return value
        content = RecordContent(value, parsed.key, dead_letter.timestamp_us, tuple(original_headers(headers)))
        try:
            with page_budget():
                return apply_edit(content, self._edit, self._target, self._ref)
        except EditError as error:
            raise CannotSendError(str(error)) from error
        except OverBudget as over:
            raise CannotSendError(f"Edited, it has too many values to be checked here: {over}.") from over

    def _replaced(self, parsed: ParsedDeadLetter, record: NewRecord, dead_letter: DeadLetter) -> NewRecord:
        """The replacement of a dead letter. With another key it is sent to the partition of that key."""
        sent = tuple(redriven_headers(record.headers, parsed, self._redrive.pk))
        made = NewRecord(record.value, record.key, sent, timestamp_ms=_timestamp_ms(parsed))
        return _within_limit(self._placed(made, dead_letter) if record.key == parsed.key else made)

    def _placed(self, record: NewRecord, dead_letter: DeadLetter) -> NewRecord:
        """The record with its original partition, if the target is its own stream."""
        is_home = (
            self._target.pk == self._redrive.validator.stream_id
            and dead_letter.partition < self._target.partitions
        )
        return replace(record, partition=dead_letter.partition) if is_home else record


def _timestamp_ms(parsed: ParsedDeadLetter) -> int | None:
    return parsed.timestamp_ms if parsed.timestamp_ms > 0 else None  # -1: it had none


def _within_limit(record: NewRecord) -> NewRecord:
    size = (
        len(record.value or b"")
        + len(record.key or b"")
        + sum(len(name) + len(text or b"") for name, text in record.headers)
    )
    if size > MAX_BYTES - _MAX_HEADER_BYTES:
        raise CannotSendError(
            f"With its headers, the record has {size} bytes; the limit is {MAX_BYTES - _MAX_HEADER_BYTES}."
        )
    return record
