"""A record's decoded parts as JSON texts, for reading: nested, with every digit, which a
browser's own numbers would round.
"""

import json
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.budget import Budget, OverBudget, bounded, spend
from jobs.formats.avro_records import SchemaOf, read_datum
from jobs.formats.contract import StreamContract
from jobs.formats.framing import json_body
from jobs.formats.json_text import NumberText, parse_any
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding, JsonEncoding
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed, Row, json_value
from weir.streams.services.decoding import budget_around, decoded

_STEP = "  "
MAX_CHARS: Final = 5_000_000
"""Of one text: a record of a megabyte that is nested deeply would be sixty, most of them blanks."""


def json_texts(
    message: Message, contract: StreamContract | None, schema_of: SchemaOf | None
) -> dict[str, str | None]:
    """``row_json``: all declared fields. ``value_json``: all that the value holds, declared or not.
    ``key_json``: the key's fields.

    Args:
        message: as the client gave it.
        contract: what it should be; without one a value that is JSON is shown as such.
        schema_of: schemas of writers by id, beside those that the contract names.

    Returns:
        Each as indented JSON; None where there is none: a malformed record has no
        row, plain text no structure.
    """
    value: Any = message.value()
    key: Any = message.key()
    return {
        "row_json": _row_json_text(message, contract, schema_of),
        "value_json": value_json_text(value, contract, schema_of),
        "key_json": key_json_text(key, contract, schema_of),
    }


def _row_json_text(
    message: Message, contract: StreamContract | None, schema_of: SchemaOf | None
) -> str | None:
    if contract is None:
        return None
    try:
        row = decoded(message, contract, schema_of)
    except OverBudget:
        return None
    return json_text(row.as_json()) if isinstance(row, Row) and not row.deleted else None


def json_text(value: Any) -> str | None:
    """A value as indented JSON; numbers that know how they were written stay so.

    Returns:
        None where it would have more than `MAX_CHARS` characters.
    """
    with bounded(Budget(MAX_CHARS)), suppress(OverBudget):
        return _indented(value, "")
    return None


def _indented(value: Any, around: str) -> str:
    inner = around + _STEP
    if isinstance(value, dict | list):
        spend((len(inner) + 1) * len(value) + len(around) + 3)  # what stands between the parts
    match value:
        case NumberText():
            return _counted(value.text)
        case dict() if value:
            members = (
                f"{inner}{_counted(json.dumps(name, ensure_ascii=False))}: {_indented(part, inner)}"
                for name, part in value.items()
            )
            return "{\n" + ",\n".join(members) + f"\n{around}}}"
        case list() if value:
            return "[\n" + ",\n".join(inner + _indented(part, inner) for part in value) + f"\n{around}]"
        case _:
            return _counted(json.dumps(value, ensure_ascii=False, default=str))


def _counted(text: str) -> str:
    """A text is one object wherever it stands, as a symbol of an enum does, but each time written out."""
    spend(len(text))
    return text


def value_json_text(
    value: bytes | None, contract: StreamContract | None, schema_of: SchemaOf | None
) -> str | None:
    """All that a value holds as indented JSON; None where it has no structure that can be read, or would cost
    more than is left of the budget around (`weir.streams.services.decoding.page_budget`; without one, of its
    own).
    """
    if value is None:
        return None
    with budget_around(), suppress(OverBudget):
        return _value_json_text(value, contract, schema_of)
    return None


def _value_json_text(value: bytes, contract: StreamContract | None, schema_of: SchemaOf | None) -> str | None:
    encoding = contract.encoding if contract is not None else JsonEncoding()
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    if isinstance(inner, AvroEncoding):
        datum = read_datum(value, inner, schema_of)
        return None if isinstance(datum, Malformed) else json_text(json_value(datum))
    if not isinstance(inner, JsonEncoding):
        return None
    body = json_body(value, inner)
    parsed = body if isinstance(body, Malformed) else parse_any(body)
    return None if isinstance(parsed, Malformed) else json_text(parsed)


def key_json_text(
    key: bytes | None, contract: StreamContract | None, schema_of: SchemaOf | None
) -> str | None:
    """The key's fields as indented JSON; None where none is read from it, or it cannot be read, or would cost
    too much, as `value_json_text`.
    """
    if key is None or contract is None or not contract.key:
        return None
    with budget_around(), suppress(OverBudget):
        found = read_key(key, contract, schema_of)
        if not isinstance(found, Malformed):
            return json_text({name: json_value(part) for name, part in found.items()})
    return None
