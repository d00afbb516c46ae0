"""Which records a person asked for: by key, and by a condition of the job language over the decoded record."""

import base64
from typing import Final, Literal

from confluent_kafka import Message

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.instants import Instant, datetime_of
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, TIMESTAMP
from jobs.expressions.interpreter import Values, condition
from jobs.formats.records import Row
from weir.streams.decoding import decoded, timestamp_us
from weir.streams.places import Place
from weir.streams.scanning import Keep
from weir.streams.tables.keys import given_key, key_of
from weir.workspaces.refusals import RefusalError

KeyAs = Literal["text", "fields", "base64", "hex"]
KEYS_AS: Final[tuple[KeyAs, ...]] = ("text", "fields", "base64", "hex")

MAX_WORK: Final = 50_000_000  # characters that a condition makes of one record, and calls of its lambdas
MAX_SECONDS: Final = 0.5  # of processor time for one record

_SYSTEM: Final = (Field("_time", TIMESTAMP), Field("_timestamp", TIMESTAMP), Field("_partition", INT), Field("_offset", LONG))


def matcher(place: Place, key: str | None, where: str | None, key_as: KeyAs = "text") -> Keep | None:
    """Which records to keep; None: all. A malformed record meets no condition.

    Args:
        place: of the records; a topic that is no stream has no contract.
        key: the record's key; None: any.
        where: a condition over the declared fields, ``_time``, ``_timestamp``, ``_partition`` and ``_offset``.
        key_as: how `key` is written: ``text`` is its bytes in UTF-8, ``fields`` the values of the key's fields as JSON, however the
            records write them, ``base64`` and ``hex`` are its bytes.

    Raises:
        RefusalError: the condition has faults, there is no contract that says what its fields are, or KEY_INVALID. What comes back
            raises it too, with FILTER_TOO_SLOW, for a record for which the condition takes too long.
    """
    has_key = None if key is None else _with_key(place, key, key_as)
    meets = None if where is None else _condition(place, where)
    if meets is None or has_key is None:
        return has_key or meets
    return lambda message: has_key(message) and meets(message)


def _with_key(place: Place, key: str, key_as: KeyAs) -> Keep:
    if key_as == "fields":
        contract, schema_of = place.contract, place.schema_of
        if contract is None or not contract.key:
            raise RefusalError("KEY_INVALID", "This stream has no key fields. Use text, base64 or hex.")
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
        raise RefusalError("KEY_INVALID", f"Invalid {key_as} key: {key[:80]!r}.") from error


def _condition(place: Place, where: str) -> Keep:
    contract = place.contract
    if contract is None:
        raise RefusalError("FILTER_INVALID", "Register the topic as a stream to filter by field.")
    typed = contract
    holds, problems = condition(where, Schema((*contract.schema_of_rows, *_SYSTEM)), ("where",))
    if holds is None:
        raise RefusalError("FILTER_INVALID", f"Invalid filter: {problems[0].message} {problems[0].hint}".strip(), tuple(problems))

    def meets(message: Message) -> bool:
        row = decoded(message, typed, place.schema_of)
        if not isinstance(row, Row):
            return False
        try:
            with bounded(Budget(MAX_WORK, MAX_SECONDS)):
                return holds(_values(row, message))
        except OverBudget as over:
            where = f"record {message.offset()} of partition {message.partition()}"
            raise RefusalError("FILTER_TOO_SLOW", f"The filter can't be evaluated for {where}: {over}. Simplify it.") from over

    return meets


def _values(row: Row, message: Message) -> Values:
    return {
        **row.values,
        "_time": datetime_of(row.event_time),
        "_timestamp": datetime_of(Instant(timestamp_us(message))),
        "_partition": message.partition(),
        "_offset": message.offset(),
    }
