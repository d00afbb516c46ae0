"""CSV lines in Spark: the steps of `jobs.formats.csv_line`,
none of which can exhaust a stack as a regular expression could.
"""

from typing import Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column, text_literal
from jobs.engine.formats.decode_columns import (
    BODY,
    PRE_STATUS,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
    utf8_sql,
)
from jobs.formats.csv_records import csv_columns
from jobs.formats.record_formats import CsvEncoding
from jobs.formats.source_paths import ReadField
from jobs.formats.text_values_sql import text_value_sql

_NUL: Final = "chr(0)"  # marks delimiters outside quotes
_AS_HEX: Final = r"\x{%x}"  # a sign in a regular expression, whatever it means there


def read_csv(
    frame: DataFrame, encoding: CsvEncoding, fields: tuple[ReadField, ...], used: tuple[str, ...]
) -> DataFrame:
    """Fields of CSV lines; parameters and result as of `jobs.engine.formats.json_records.read_json`."""
    columns = csv_columns(encoding, fields)
    quote = text_literal(encoding.quote)
    rest = [column(name) for name in kept_columns(frame.columns, BODY)]
    texts = frame.select(*rest, column(utf8_sql(BODY), "_text"))
    lines = texts.select(*rest, column(_line_sql("_text"), "_line"))
    cut = lines.select(
        "*", column(f"if(contains(_line, {quote}), {_split_sql('_line', encoding.quote)}, NULL)", "_cut")
    )
    cells = cut.select("*", column(_cells_sql(encoding), "_cells"))
    parsed = [field for field in fields if field.name in used]
    texted = cells.select(
        "*", *(column(_text_sql(columns.index(str(f.path[0])), encoding), _held(f)) for f in parsed)
    )
    values = [
        column(text_value_sql(_quoted_held(f), f.type) if f in parsed else unused_sql(f), f.name)
        for f in fields
    ]
    typed = [(_quoted_held(field), text_value_sql(_quoted_held(field), field.type)) for field in parsed]
    fits = " AND ".join(["true", *(f"({held} IS NULL OR {value} IS NOT NULL)" for held, value in typed)])
    status = (
        f"CASE WHEN {PRE_STATUS} IS NOT NULL THEN {PRE_STATUS} WHEN _line IS NULL THEN 'NOT_TEXT' "
        f"WHEN {_invalid_sql()} THEN 'NOT_CSV' WHEN size(_cells) <> {len(columns)} THEN 'COLUMN_COUNT' "
        f"WHEN NOT ({fits}) THEN 'FIELD_TYPE' END"
    )
    return texted.select(
        *map(column, kept_columns(frame.columns, BODY, PRE_STATUS)), *values, column(status, VALUE_STATUS)
    )


def _held(field: ReadField) -> str:
    return f"_held_{field.name}"


def _quoted_held(field: ReadField) -> str:
    return f"`{_held(field)}`"


def _line_sql(text: str) -> str:
    cut = f"if(endswith({text}, '\\n'), left({text}, char_length({text}) - 1), {text})"
    return f"if(endswith({cut}, '\\r'), left({cut}, char_length({cut}) - 1), {cut})"


def _split_sql(text: str, sign: str) -> str:
    return f"split({text}, {text_literal(_AS_HEX % ord(sign))}, -1)"


def _cells_sql(encoding: CsvEncoding) -> str:
    """ARRAY<STRUCT<text, quoted, valid>> of a line."""
    quote, twice = text_literal(encoding.quote), text_literal(encoding.quote * 2)
    marked = (
        "array_join(transform(_cut, (s, i) -> if(i % 2 = 0, replace(s, "
        f"{text_literal(encoding.delimiter)}, {_NUL}), s)), {quote})"
    )
    raw = f"if(_cut IS NULL, {_split_sql('_line', encoding.delimiter)}, {_split_sql(marked, chr(0))})"
    body = "trim(BOTH ' \\t' FROM r)" if encoding.trim else "r"
    inner = f"substring({body}, 2, char_length({body}) - 2)"
    closed = f"char_length({body}) >= 2 AND startswith({body}, {quote}) AND endswith({body}, {quote})"
    valid = f"({closed} AND NOT contains(replace({inner}, {twice}, ''), {quote}))"
    in_quotes = f"struct(replace({inner}, {twice}, {quote}) AS text, true AS quoted, {valid} AS valid)"
    plain = f"struct({body} AS text, false AS quoted, true AS valid)"
    return f"transform({raw}, r -> if(contains(r, {quote}), {in_quotes}, {plain}))"


def _invalid_sql() -> str:
    outside = "exists(filter(_cut, (s, i) -> i % 2 = 0), s -> contains(s, '\\n') OR contains(s, '\\r'))"
    breaks = (
        f"if(_cut IS NULL, contains(_line, '\\n') OR contains(_line, '\\r'), size(_cut) % 2 = 0 OR {outside})"
    )
    return f"(contains(_line, {_NUL}) OR {breaks} OR exists(_cells, c -> NOT c.valid))"


def _text_sql(position: int, encoding: CsvEncoding) -> str:
    cell = f"get(_cells, {position})"
    return f"if({cell}.quoted OR {cell}.text <> {text_literal(encoding.null_text)}, {cell}.text, NULL)"
