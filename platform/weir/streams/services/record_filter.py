"""Filters of records: by key, and by a condition of the job language over the decoded record."""

import base64
import logging
from typing import Final, Literal

from confluent_kafka import Message

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.instants import datetime_of, nearest_instant
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, TIMESTAMP
from jobs.expressions.interpreter import Values, condition
from jobs.formats.records import Row
from weir.streams.services.decoding import decoded_or_refused, timestamp_us
from weir.streams.services.scan import RecordFilter
from weir.streams.services.table_keys import given_key, key_of
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

KeyAs = Literal["text", "fields", "base64", "hex", "auto"]
KEYS_AS: Final[tuple[KeyAs, ...]] = ("text", "fields", "base64", "hex", "auto")

MAX_WORK: Final = 50_000_000  # characters that a condition makes of one record, and calls of its lambdas
MAX_CPU_S: Final = 0.5  # processor time for one record

_LOG: Final = logging.getLogger(__name__)
_SYSTEM: Final = (
    Field("_time", TIMESTAMP),
    Field("_timestamp", TIMESTAMP),
    Field("_partition", INT),
    Field("_offset", LONG),
)


def record_filter(
    ref: TopicRef, key: str | None, where: str | None, key_as: KeyAs = "text"
) -> RecordFilter | None:
    """A filter of records; None: all records match. Malformed records match no condition.

    Args:
        ref: the topic; one that is no stream has no contract.
        key: the record's key; None: any.
        where: a condition over the declared fields, ``_time``, ``_timestamp``,
            ``_partition`` and ``_offset``.
        key_as: how `key` is written: ``text`` is its bytes in UTF-8, ``fields`` the values of the key's
            fields as JSON, however the records write them, ``base64`` and ``hex`` are its bytes; ``auto`` is
            ``fields`` where the stream has key fields, otherwise ``text``.

    Raises:
        ServiceError: FILTER_INVALID (an invalid condition, or no contract that declares its fields) or
            KEY_INVALID. The filter itself raises FILTER_TOO_SLOW for a record whose condition takes too long,
            and FILTER_INVALID for one on which it fails.
    """
    has_key = None if key is None else _with_key(ref, key, key_as)
    meets = None if where is None else _condition(ref, where)
    if meets is None or has_key is None:
        return has_key or meets
    return lambda message: has_key(message) and meets(message)


def _with_key(ref: TopicRef, key: str, key_as: KeyAs) -> RecordFilter:
    if key_as == "auto":
        key_as = "fields" if ref.contract is not None and ref.contract.key else "text"
    if key_as == "fields":
        contract, schema_of = ref.contract, ref.schema_of
        if contract is None or not contract.key:
            raise ServiceError("KEY_INVALID", "This stream has no key fields. Use text, base64 or hex.")
        values = given_key(key, contract)
        return lambda message: key_of(message.key(), contract, schema_of) == values
    wanted = _key_bytes(key, key_as)
    return lambda message: message.key() == wanted


def _key_bytes(key: str, key_as: KeyAs) -> bytes:
    try:
        match key_as:
            case "base64":
                return base64.b64decode(key, validate=True)
            case "hex":
                return bytes.fromhex(key.removeprefix("0x").replace(":", " "))
            case _:
                return key.encode()
    except ValueError as error:
        raise ServiceError("KEY_INVALID", f"Invalid {key_as} key: {key[:80]!r}.") from error


def _condition(ref: TopicRef, where: str) -> RecordFilter:
    contract = ref.contract
    if contract is None:
        raise ServiceError("FILTER_INVALID", "Register the topic as a stream to filter by field.")
    typed = contract
    holds, problems = condition(where, Schema((*contract.schema_of_rows, *_SYSTEM)), ("where",))
    if holds is None:
        raise ServiceError(
            "FILTER_INVALID",
            f"Invalid filter: {problems[0].message} {problems[0].hint}".strip(),
            tuple(problems),
        )

    def meets(message: Message) -> bool:
        row = decoded_or_refused(message, typed, ref.schema_of)
        if not isinstance(row, Row):
            return False
        where = f"record {message.offset()} of partition {message.partition()}"
        try:
            with bounded(Budget(MAX_WORK, MAX_CPU_S)):
                return holds(_values(row, message))
        except OverBudget as over:
            raise ServiceError(
                "FILTER_TOO_SLOW", f"The filter can't be evaluated for {where}: {over}. Simplify it."
            ) from over
        except Exception as defect:
            _LOG.exception("filter of records")
            raise ServiceError(
                "FILTER_INVALID",
                f"The filter fails on {where} because of a defect in Weir. Rewrite it, or report the defect.",
            ) from defect

    return meets


def _values(row: Row, message: Message) -> Values:
    return {
        **row.values,
        "_time": datetime_of(row.event_time),
        "_timestamp": datetime_of(nearest_instant(timestamp_us(message))),
        "_partition": message.partition(),
        "_offset": message.offset(),
    }
