"""Change events of Debezium in Spark: the Spark implementation of `jobs.formats.debezium_records`."""

from pyspark.sql import DataFrame

from jobs.engine.columns import column, text_literal
from jobs.engine.formats.decode_columns import (
    BODY,
    DELETED,
    PRE_STATUS,
    SKIPPED,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
    utf8_sql,
)
from jobs.engine.formats.json_wrapper import BLANKS, JsonWrapper, deep_sql
from jobs.formats.debezium_records import LEFT_OUT_OPS, ROW_OPS
from jobs.formats.event_time_sql import CHANGE_MS
from jobs.formats.json_tree import json_tree
from jobs.formats.json_wire import JsonWire
from jobs.formats.record_formats import DebeziumEncoding
from jobs.formats.source_paths import ReadField


def read_changes(
    frame: DataFrame,
    encoding: DebeziumEncoding,
    fields: tuple[ReadField, ...],
    used: tuple[str, ...],
    *,
    is_table: bool,
) -> DataFrame:
    """The rows after changes; parameters and result as of `jobs.engine.formats.json_records.read_json`, and
    `CHANGE_MS`.

    A deletion is `DELETED` in a table and `SKIPPED` in a stream.
    """
    wire, wrapper = JsonWire(encoding.time_unit), JsonWrapper.make()
    parsed = [field for field in fields if field.name in used]
    tree, end = json_tree(parsed, wire.type), f"{wrapper.end}: INT"
    event = f"op: VARIANT, after: STRUCT<{tree.members}{end}>, source: VARIANT, ts_ms: VARIANT"
    rest = kept_columns(frame.columns, BODY)
    texts = frame.select(*map(column, rest), column(utf8_sql(BODY), "_text"))
    read = texts.select(
        "*", column(wrapper.parsed_sql(f"STRUCT<{event}, payload: STRUCT<{event}>, {end}>"), "_json")
    )
    records = read.select(
        "*", column(f"CASE WHEN {wrapper.whole_sql('_json')} THEN {wrapper.value_sql('_json')} END", "_all")
    )
    own = "named_struct('op', _all.op, 'after', _all.after, 'source', _all.source, 'ts_ms', _all.ts_ms)"
    events = records.select("*", column(f"if({_is_given('_all.op')}, {own}, _all.payload)", "_event"))
    named = events.select(
        "*", column(_text_of("_event.op"), "_op"), column(tree.named("_event.after", end), "_after")
    )
    values = [
        column(wire.value(tree.of("_after", f), f.type) if f in parsed else unused_sql(f), f.name)
        for f in fields
    ]
    fits = " AND ".join(["true", *(wire.fits(tree.of("_after", field), field.type) for field in parsed)])
    status = column(_status_sql(wrapper, fits, DELETED if is_table else SKIPPED), VALUE_STATUS)
    kept = map(column, kept_columns(frame.columns, BODY, PRE_STATUS))
    return named.select(*kept, *values, status, column(_changed_at_sql(), CHANGE_MS))


def _is_given(variant: str) -> str:
    return f"coalesce(schema_of_variant({variant}), 'VOID') <> 'VOID'"


def _text_of(variant: str) -> str:
    return f"if(schema_of_variant({variant}) = 'STRING', try_variant_get({variant}, '$', 'string'), NULL)"


def _whole_of(variant: str) -> str:
    return f"if(schema_of_variant({variant}) = 'BIGINT', try_variant_get({variant}, '$', 'bigint'), NULL)"


def _changed_at_sql() -> str:
    in_source = "try_variant_get(_event.source, '$.ts_ms', 'variant')"
    return f"coalesce({_whole_of(in_source)}, {_whole_of('_event.ts_ms')})"


def _ops(names: tuple[str, ...]) -> str:
    return ", ".join(map(text_literal, names))


def _status_sql(wrapper: JsonWrapper, fits: str, deletion: str) -> str:
    rows, left_out = _ops(ROW_OPS), _ops(LEFT_OUT_OPS)
    return (
        f"CASE WHEN {PRE_STATUS} IS NOT NULL THEN {PRE_STATUS} WHEN _text IS NULL THEN 'NOT_JSON' "
        f"WHEN {deep_sql()} THEN 'TOO_DEEP' WHEN _all IS NULL THEN {_unread_sql(wrapper)} "
        f"WHEN _op IN ({left_out}) THEN '{SKIPPED}' WHEN _op = 'd' THEN '{deletion}' "
        f"WHEN _op NOT IN ({rows}) OR _op IS NULL OR _event.after IS NULL THEN 'NOT_CHANGE' "
        f"WHEN NOT ({fits}) THEN 'FIELD_TYPE' END"
    )


def _unread_sql(wrapper: JsonWrapper) -> str:
    """Why a text is no event with such a row; it is parsed once more without the row's types,
    so only bad records come here.
    """
    outline = wrapper.parsed_sql(f"STRUCT<op: VARIANT, after: VARIANT, payload: VARIANT, {wrapper.end}: INT>")
    event = wrapper.value_sql("p")
    op = f"if({_is_given(f'{event}.op')}, {event}.op, try_variant_get({event}.payload, '$.op', 'variant'))"
    after = (
        f"if({_is_given(f'{event}.op')}, {event}.after, try_variant_get({event}.payload, '$.after', "
        "'variant'))"
    )
    fault = (
        f"CASE WHEN NOT {wrapper.whole_sql('p')} THEN 'NOT_JSON' WHEN {_text_of(op)} IN ({_ops(ROW_OPS)}) "
        f"AND schema_of_variant({after}) LIKE 'OBJECT%' THEN 'FIELD_TYPE' ELSE 'NOT_CHANGE' END"
    )
    is_object = f"startswith(trim(LEADING {BLANKS} FROM _text), '{{')"
    anything = wrapper.whole_sql(wrapper.parsed_sql("STRING"), mark_is_text=True)
    found = f"get(transform(array({outline}), p -> {fault}), 0)"
    return f"CASE WHEN NOT {anything} THEN 'NOT_JSON' WHEN NOT {is_object} THEN 'NOT_OBJECT' ELSE {found} END"
