"""A JSON record as a row of its stream, in plain Python: what the browser shows is what a job would see (`semantics.md` 1.9)."""

from typing import Any

from jobs.formats.contract import StreamContract
from jobs.formats.event_time import event_time
from jobs.formats.json_text import parse_json
from jobs.formats.json_values import WrongType, typed
from jobs.formats.records import Malformed, Row


def decode(value: bytes | None, contract: StreamContract, append_time_us: int) -> Row | Malformed:
    """The row that a record is, or why it is malformed.

    Args:
        value: the record's bytes; None for a Kafka tombstone.
        contract: of the stream.
        append_time_us: Kafka's timestamp of the record, in microseconds.
    """
    parsed = parse_json(value)
    if isinstance(parsed, Malformed):
        return parsed
    schema = contract.schema_of_rows
    values: dict[str, Any] = {}
    for field in schema:
        try:
            values[field.name] = typed(parsed.get(field.name), field.type, field.name)
        except WrongType as wrong:
            return Malformed("FIELD_TYPE", f"{wrong.at}: {wrong.detail}", field.name)
    for field in schema:
        if not field.nullable and values[field.name] is None:
            return Malformed("FIELD_MISSING", f"{field.name} is required.", field.name)
    moment = event_time(values, contract, append_time_us)
    return moment if isinstance(moment, Malformed) else Row(values, moment)
