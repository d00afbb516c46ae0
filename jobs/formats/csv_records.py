"""A CSV record: one line, its columns in order."""

from typing import Any

from jobs.formats.csv_line import split_line
from jobs.formats.json_values import WrongType
from jobs.formats.record_formats import CsvEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField
from jobs.formats.text_values import typed_text


def read_csv(
    value: bytes, encoding: CsvEncoding, fields: tuple[ReadField, ...]
) -> dict[str, Any] | Malformed:
    """The fields of a line.

    Args:
        value: the record's bytes.
        encoding: signs and columns.
        fields: in the line's order, unless the encoding names columns.

    Returns:
        A value per field, or NOT_TEXT, NOT_CSV, COLUMN_COUNT, FIELD_TYPE.
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        return Malformed("NOT_TEXT", f"Invalid UTF-8 at byte {error.start}.")
    cells = split_line(text, encoding)
    if isinstance(cells, Malformed):
        return cells
    columns = csv_columns(encoding, fields)
    if len(cells) != len(columns):
        return Malformed("COLUMN_COUNT", f"The line has {len(cells)} values; expected {len(columns)}.")
    found = dict(zip(columns, cells, strict=True))
    values: dict[str, Any] = {}
    for field in fields:
        cell = found[str(field.path[0])]
        if not cell.quoted and cell.text == encoding.null_text:
            values[field.name] = None
            continue
        try:
            values[field.name] = typed_text(cell.text, field.type, field.at)
        except WrongType as wrong:
            return Malformed("FIELD_TYPE", f"{wrong.at}: {wrong.detail}", field.name)
    return values


def csv_columns(encoding: CsvEncoding, fields: tuple[ReadField, ...]) -> tuple[str, ...]:
    """The columns of a line in order; one that several fields are read from is there once."""
    if encoding.columns is not None:
        return encoding.columns
    return tuple(dict.fromkeys(str(field.path[0]) for field in fields))
