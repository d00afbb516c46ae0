"""A Kafka record for display: text if it is text, its row if it is valid under the contract, else
the reason why it is not.
"""

import base64
import re
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.budget import Budget, OverBudget, bounded, is_bounded, spend
from jobs.base.instants import MAX_INSTANT, instant_text, nearest_instant
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed, Row, Skipped, json_value
from weir.clusters.services.message_headers import headers_of
from weir.workspaces.errors import ServiceError

SHOWN_BYTES: Final = 16_384
SHOWN_HEADERS: Final = 100  # of a record in a list
HEADER_BYTES: Final = 1_024  # of each of them
ALL_HEADERS: Final = 1_000  # of a single record, or of an exported one
MAX_VALUES: Final = 300_000
"""Elements and members that may be made of the records of one answer, a hundred bytes and some microseconds
each. A record of a megabyte whose objects lack all members of their type would make millions."""
MAX_CPU_S: Final = 1.5  # processor time of this thread for the same
NOT_DECODED: Final = "NOT_DECODED"
"""In place of the reason why a record is malformed: it was too large to be decoded here."""
_MOST_MS: Final = 4 * MAX_INSTANT // 1_000
_NO_ROW: Final[dict[str, Any]] = {"row": None, "event_time": None, "deleted": None, "malformed": None}
_UNREADABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LOG_APPEND_TIME: Final = 2  # the broker's clock, in librdkafka's numbering; else the producer's


def record_json(
    message: Message,
    contract: StreamContract | None,
    schema_of: SchemaOf | None = None,
    *,
    full: bool = False,
) -> dict[str, Any]:
    """The API's form of a record. One that would cost more than is left of the budget around (`page_budget`;
    without one, of its own) is shown as `NOT_DECODED`.

    Args:
        message: as the client gave it.
        contract: what it should be; None leaves row and event time null.
        schema_of: schemas of writers by id, beside those that the contract names.
        full: nothing is truncated but the list of headers, and key and value are also given as base64.
    """
    value: Any = message.value()
    key: Any = message.key()
    longest = None if full else SHOWN_BYTES
    headers = headers_of(message)
    shown_headers, header_bytes = (ALL_HEADERS, None) if full else (SHOWN_HEADERS, HEADER_BYTES)
    longest_part = max(len(value or b""), len(key or b""))
    sizes = (max(len(name), len(content or b"")) for name, content in headers[:shown_headers])
    longest_header = max(sizes, default=0)
    is_long = longest_part > SHOWN_BYTES or longest_header > HEADER_BYTES
    key_text, key_is_text = shown_text(key, longest)
    value_text, value_is_text = shown_text(value, longest)
    return {
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": instant_text(nearest_instant(timestamp_us(message))),
        "timestamp_type": "log_append_time" if message.timestamp()[0] == _LOG_APPEND_TIME else "create_time",
        "key": key_text,
        "key_is_text": key_is_text,
        "value": value_text,
        "value_is_text": value_is_text,
        "truncated": (not full and is_long) or len(headers) > shown_headers,
        "size": len(value or b"") + len(key or b""),
        "headers": [_header(name, content, header_bytes) for name, content in headers[:shown_headers]],
        **_decoded_parts(message, contract, schema_of),
        **({"key_base64": _base64(key), "value_base64": _base64(value)} if full else {}),
    }


def decoded(
    message: Message, contract: StreamContract, schema_of: SchemaOf | None
) -> Row | Malformed | Skipped:
    """The row that a record is, or why it is malformed: what a job would see.

    Raises:
        OverBudget: it costs more than is left of the budget around; without one, of its own.
    """
    value: Any = message.value()
    key: Any = message.key()
    headers = headers_of(message)
    with budget_around():
        spend(0)
        return decode(value, key, contract, timestamp_us(message), schema_of, headers=headers)


def decoded_or_refused(
    message: Message, contract: StreamContract, schema_of: SchemaOf | None
) -> Row | Malformed | Skipped:
    """As `decoded`, for what needs every record.

    Raises:
        ServiceError: RECORD_TOO_LARGE, with the record's place.
    """
    try:
        return decoded(message, contract, schema_of)
    except OverBudget as over:
        raise ServiceError(
            "RECORD_TOO_LARGE",
            f"Record {message.offset()} of partition {message.partition()} has too many values to be decoded "
            f"here: {over}. Start after it.",
        ) from over


def page_budget() -> AbstractContextManager[Budget]:
    """What decoding the records of one answer may cost."""
    return bounded(Budget(MAX_VALUES, MAX_CPU_S))


def budget_around() -> AbstractContextManager[object]:
    """The budget around, or else one of its own."""
    return nullcontext() if is_bounded() else page_budget()


def event_time_us(message: Message, contract: StreamContract, schema_of: SchemaOf | None) -> int | None:
    """A record's event time, µs; None when it is malformed."""
    found = decoded(message, contract, schema_of)
    return found.event_time if isinstance(found, Row) else None


def timestamp_us(message: Message) -> int:
    """Kafka's own timestamp of a record, µs; its producer may have written one that no datetime can hold. As
    engines hold it (`jvm/src/weir/records/RecordTimes.java`).
    """
    return min(max(0, message.timestamp()[1]), _MOST_MS) * 1000


def _key_fields(
    key: bytes | None, contract: StreamContract | None, schema_of: SchemaOf | None
) -> dict[str, Any] | None:
    if key is None or contract is None or not contract.key:
        return None
    found = read_key(key, contract, schema_of)
    return None if isinstance(found, Malformed) else {name: json_value(part) for name, part in found.items()}


def _header(name: str, content: bytes | None, longest: int | None) -> dict[str, Any]:
    text, is_text = shown_text(content, longest)
    return {"name": name[:longest], "value": text, "value_is_text": is_text}


def _decoded_parts(
    message: Message, contract: StreamContract | None, schema_of: SchemaOf | None
) -> dict[str, Any]:
    """What the contract makes of a record: fields of its key, its row, or why it has none."""
    key: Any = message.key()
    try:
        with budget_around():
            return {
                "key_fields": _key_fields(key, contract, schema_of),
                **_form(message, contract, schema_of),
            }
    except OverBudget as over:
        return {"key_fields": None, **_NO_ROW, "malformed": not_decoded(over)}


def not_decoded(over: OverBudget) -> dict[str, str]:
    """Why a record is shown without what it holds, in the form of what is malformed."""
    detail = f"There are too many values to show: {over}. Jobs decode the record all the same."
    return {"reason": NOT_DECODED, "detail": detail, "field": ""}


def _form(message: Message, contract: StreamContract | None, schema_of: SchemaOf | None) -> dict[str, Any]:
    if contract is None:
        return _NO_ROW
    found = decoded(message, contract, schema_of)
    if isinstance(found, Row):
        return {
            "row": found.as_json(),
            "event_time": instant_text(found.event_time),
            "deleted": found.deleted,
            "malformed": None,
        }
    if isinstance(found, Malformed):
        malformed = {"reason": found.reason, "detail": found.detail, "field": found.field}
        return {**_NO_ROW, "malformed": malformed}
    return _NO_ROW


def shown_text(content: Any, longest: int | None) -> tuple[str | None, bool]:
    """The text of some bytes, and whether they are text; other bytes are given as base64. Both
    are truncated to `longest`.
    """
    if content is None:
        return None, True
    raw = content if isinstance(content, bytes) else str(content).encode()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(raw[:longest]).decode("ascii"), False
    # Control characters such as NUL are valid UTF-8, but not readable text.
    if _UNREADABLE.search(text, 0, SHOWN_BYTES):
        return base64.b64encode(raw[:longest]).decode("ascii"), False
    return text[:longest], True


def _base64(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode("ascii")
