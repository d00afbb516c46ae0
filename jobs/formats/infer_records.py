"""A sampled record as an object of values, whatever its format: what `jobs.formats.infer` looks at."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from jobs.formats.csv_line import CsvValue, split_line
from jobs.formats.debezium_records import ROW_OPS, change_op, changed_row, json_event
from jobs.formats.framing import json_body
from jobs.formats.json_text import NumberText, parse_json
from jobs.formats.record_formats import CsvEncoding, DebeziumEncoding, Encoding, JsonEncoding
from jobs.formats.records import Malformed, Skipped

# As JSON writes numbers; so 007 stays a text, which is what somebody who wrote it so wants.
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,40})(\.\d{1,40})?([eE][+-]?\d{1,3})?", re.ASCII)
MAX_VALUES: Final = 300_000
"""Of a sample; each takes microseconds and a hundred bytes."""
_MAX_COLUMNS: Final = 100_000
_JSON_SIGNS: Final = (b",", b":", b"[", b"{")


def within_bounds(samples: list[bytes], encoding: Encoding) -> list[bytes]:
    """The first samples with no more than `MAX_VALUES` values together, told from the signs that separate
    those; at least one.
    """
    signs = (encoding.delimiter.encode(),) if isinstance(encoding, CsvEncoding) else _JSON_SIGNS
    values = 0
    for place, sample in enumerate(samples):
        values += sum(map(sample.count, signs)) + 1
        if place and values > MAX_VALUES:
            return samples[:place]
    return samples


def can_sample(encoding: Encoding) -> bool:
    """True where records themselves show their fields:
    Avro has a schema for that, and a plain text is one field.
    """
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    return isinstance(inner, JsonEncoding | CsvEncoding)


def sampled_record(value: bytes, encoding: Encoding) -> dict[str, Any] | Malformed | Skipped:
    """The values of a record by name, numbers as `NumberText`.

    Args:
        value: its bytes.
        encoding: one that `can_sample`. Columns of a line that have no names get ``c1``, ``c2`` and so on.

    Returns:
        `Skipped` for change events that leave no row; or why the record has no values.
    """
    match encoding:
        case CsvEncoding():
            return _line(value, encoding)
        case DebeziumEncoding(inner=JsonEncoding() as inner):
            return _row(json_event(value, inner))
        case JsonEncoding():
            body = json_body(value, encoding)
            return body if isinstance(body, Malformed) else parse_json(body)
        case _:
            return Malformed("NOT_JSON", f"Fields can't be inferred from {encoding.format} records.")


def _row(event: dict[str, Any] | Malformed) -> dict[str, Any] | Malformed | Skipped:
    if isinstance(event, Malformed):
        return event
    op = change_op(event)
    if isinstance(op, Malformed):
        return op
    return changed_row(event) if op in ROW_OPS else Skipped("The event has no row.")


def _line(value: bytes, encoding: CsvEncoding) -> dict[str, Any] | Malformed:
    try:
        values = split_line(value.decode("utf-8"), encoding)
    except UnicodeDecodeError as error:
        return Malformed("NOT_CSV", f"Invalid UTF-8 at byte {error.start}.")
    if isinstance(values, Malformed):
        return values
    if len(values) > _MAX_COLUMNS:
        return Malformed("COLUMN_COUNT", f"The line has {len(values)} values; {_MAX_COLUMNS} are looked at.")
    names = (
        encoding.columns
        if encoding.columns is not None
        else tuple(f"c{at}" for at in range(1, len(values) + 1))
    )
    if len(values) != len(names):
        return Malformed("COLUMN_COUNT", f"The line has {len(values)} values; expected {len(names)}.")
    return {name: _typed(one, encoding) for name, one in zip(names, values, strict=True)}


def with_usual_columns(
    records: Sequence[dict[str, Any] | Malformed | Skipped],
) -> list[dict[str, Any] | Malformed | Skipped]:
    """Lines without declared columns: those that have another number of values than most are malformed, as
    they will be with the columns that the sample shows.
    """
    counts = Counter(len(record) for record in records if isinstance(record, dict))
    if not counts:
        return list(records)
    ((usual, _),) = counts.most_common(1)
    return [
        Malformed("COLUMN_COUNT", f"The line has {len(record)} values; most have {usual}.")
        if isinstance(record, dict) and len(record) != usual
        else record
        for record in records
    ]


def _typed(value: CsvValue, encoding: CsvEncoding) -> Any:
    if not value.quoted and value.text == encoding.null_text:
        return None
    if value.text in ("true", "false"):
        return value.text == "true"
    number = _NUMBER.fullmatch(value.text)
    return (
        value.text
        if number is None
        else NumberText(value.text, whole=number[1] is None and number[2] is None)
    )
