"""JSON values in Spark: one `from_json` with only the fields that are used,
and the same results as `jobs.formats.json_records`.
"""

from pyspark.sql import DataFrame

from jobs.engine.columns import column
from jobs.engine.formats.decode_columns import (
    BODY,
    PRE_STATUS,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
    utf8_sql,
)
from jobs.engine.formats.json_wrapper import BLANKS, JsonWrapper, deep_sql
from jobs.formats.json_tree import JsonTree, json_tree
from jobs.formats.json_wire import JsonWire, holds_text
from jobs.formats.source_paths import ReadField


def read_json(frame: DataFrame, fields: tuple[ReadField, ...], used: tuple[str, ...]) -> DataFrame:
    """Fields of JSON objects.

    Args:
        frame: with `BODY` and `PRE_STATUS`.
        fields: that the value holds, of which `jobs.formats.json_tree.is_tree` is true.
        used: those to parse; the others come out as null.

    Returns:
        The other columns of the frame, the fields, and `VALUE_STATUS`.
    """
    wire, wrapper = JsonWire(plain_texts=True), JsonWrapper.make()
    parsed = [field for field in fields if field.name in used]
    tree, end = json_tree(parsed, wire.type), f"{wrapper.end}: INT"
    rest = kept_columns(frame.columns, BODY)
    texts = frame.select(*map(column, rest), column(utf8_sql(BODY), "_text"))
    read = texts.select("*", column(wrapper.parsed_sql(f"STRUCT<{tree.members}{end}>"), "_json"))
    record = tree.named(wrapper.value_sql("_json"), end)
    records = read.select("*", column(f"CASE WHEN {wrapper.whole_sql('_json')} THEN {record} END", "_record"))
    values = [
        column(wire.value(tree.of("_record", f), f.type) if f in parsed else unused_sql(f), f.name)
        for f in fields
    ]
    typed = [wire.fits(tree.of("_record", field), field.type) for field in parsed]
    fits = " AND ".join(["true", *typed, *_texts_fit(wire, wrapper, parsed, tree)])
    kept = map(column, kept_columns(frame.columns, BODY, PRE_STATUS))
    return records.select(*kept, *values, column(_status_sql(wrapper, fits), VALUE_STATUS))


def _texts_fit(wire: JsonWire, wrapper: JsonWrapper, parsed: list[ReadField], tree: JsonTree) -> list[str]:
    """Never-null conditions: what was read as a text was one.

    Only a record with a ambiguous text is parsed a second time, strictly.
    """
    texts = [field for field in parsed if holds_text(field.type)]
    if not texts:
        return []
    strict, end = JsonWire(), f"{wrapper.end}: INT"
    again = json_tree(texts, strict.type)
    parse = wrapper.parsed_sql(f"STRUCT<{again.members}{end}>")
    fits = " AND ".join(strict.fits(again.of("t", field), field.type) for field in texts)
    value = again.named(wrapper.value_sql(parse), end)
    ambiguous = " OR ".join(wire.ambiguous(tree.of("_record", field), field.type) for field in texts)
    return [f"if({ambiguous}, coalesce(get(transform(array({value}), t -> {fits}), 0), false), true)"]


def _status_sql(wrapper: JsonWrapper, fits: str) -> str:
    """Why a value has not the form of its stream; null when it has.

    The second parse runs for bad records only.
    """
    return (
        f"CASE WHEN {PRE_STATUS} IS NOT NULL THEN {PRE_STATUS} WHEN _text IS NULL THEN 'NOT_JSON' "
        f"WHEN {deep_sql()} THEN 'TOO_DEEP' WHEN _record IS NOT NULL THEN if({fits}, NULL, 'FIELD_TYPE') "
        f"WHEN NOT {wrapper.whole_sql(wrapper.parsed_sql('STRING'), mark_is_text=True)} THEN 'NOT_JSON' "
        f"WHEN NOT startswith(trim(LEADING {BLANKS} FROM _text), '{{') THEN 'NOT_OBJECT' "
        "ELSE 'FIELD_TYPE' END"
    )
