"""Key fields in Spark: the Spark implementation of `jobs.formats.record_key`."""

from typing import Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column
from jobs.engine.formats.avro_records import read_avro_keys
from jobs.engine.formats.decode_columns import FRAME_HEAD, KEY_STATUS, is_framed_sql, kept_columns, utf8_sql
from jobs.engine.formats.json_wrapper import BLANKS, JsonWrapper
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.formats.contract import StreamContract
from jobs.formats.json_tree import JsonTree, json_tree
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.record_formats import AvroEncoding, JsonEncoding
from jobs.formats.record_key import key_fields
from jobs.formats.source_paths import ReadField
from jobs.formats.text_values_sql import text_value_sql, variant_value_sql

KEY: Final = "_key"


def read_keys(frame: DataFrame, contract: StreamContract, writers: WriterSchemas | None) -> DataFrame:
    """The key fields.

    Args:
        frame: with `KEY`, BINARY.
        contract: of the stream or table.
        writers: where schemas of unknown ids are found; None: nowhere.

    Returns:
        The frame without `KEY`, with the key fields and `KEY_STATUS`.
    """
    encoding = contract.key_encoding
    if isinstance(encoding, AvroEncoding):
        return read_avro_keys(frame, contract, KEY, writers)
    if isinstance(encoding, JsonEncoding):
        return _json_keys(frame, contract, encoding)
    return _text_keys(frame, contract)


def _text_keys(frame: DataFrame, contract: StreamContract) -> DataFrame:
    field = key_fields(contract)[0]
    texts = frame.select("*", column(utf8_sql(KEY), "_key_text"))
    valued = texts.select("*", column(text_value_sql("_key_text", field.type), "_key_value"))
    status = (
        f"CASE WHEN {KEY} IS NULL THEN {_absent(contract)} WHEN _key_value IS NULL THEN 'KEY_INVALID' END"
    )
    rest = map(column, kept_columns(frame.columns, KEY))
    return valued.select(*rest, column("_key_value", field.name), column(status, KEY_STATUS))


def _absent(contract: StreamContract) -> str:
    return "'KEY_NULL'" if contract.kind == "table" else "NULL"


def _json_keys(frame: DataFrame, contract: StreamContract, encoding: JsonEncoding) -> DataFrame:
    """Every form of key becomes a list of variants, one per field, or null where it is none."""
    fields, wrapper = key_fields(contract), JsonWrapper.make()
    body = (
        f"if({is_framed_sql(KEY)}, substring({KEY}, {FRAME_HEAD + 1}), NULL)"
        if encoding.framing == "confluent"
        else KEY
    )
    sized = f"if(octet_length({KEY}) <= {MAX_BYTES}, {utf8_sql(f'({body})')}, NULL)"
    texts = frame.select("*", column(sized, "_key_text"))
    signed = texts.select("*", column(f"left(trim(LEADING {BLANKS} FROM _key_text), 1)", "_key_sign"))
    of_form = (
        f"CASE WHEN _key_sign = '{{' THEN {_of_object(wrapper, fields)} ELSE {_of_list(wrapper, fields)} END"
    )
    parts = signed.select("*", column(of_form, "_parts"))
    read = [variant_value_sql(f"get(_parts, {i})", field.type) for i, field in enumerate(fields)]
    values = [column(sql, field.name) for sql, field in zip(read, fields, strict=True)]
    void = [f"coalesce(schema_of_variant(get(_parts, {i})), 'VOID') = 'VOID'" for i in range(len(fields))]
    fits = " AND ".join(f"({none} OR {sql} IS NOT NULL)" for none, sql in zip(void, read, strict=True))
    nulls = f"WHEN {' OR '.join(void)} THEN 'KEY_NULL'" if contract.kind == "table" else ""
    status = (
        f"CASE WHEN {KEY} IS NULL THEN {_absent(contract)} WHEN _parts IS NULL OR NOT ({fits}) "
        f"THEN 'KEY_INVALID' {nulls} END"
    )
    return parts.select(*map(column, kept_columns(frame.columns, KEY)), *values, column(status, KEY_STATUS))


def _of_object(wrapper: JsonWrapper, fields: tuple[ReadField, ...]) -> str:
    tree, end = json_tree(fields, lambda _: "VARIANT"), f"{wrapper.end}: INT"
    own = _listed(tree, "o", fields)
    if {"schema", "payload"} & {field.path[0] for field in fields}:
        rest, own_rest, chosen = end, end, own
    else:
        rest = f"schema: STRING, payload: STRUCT<{tree.members.removesuffix(', ')}>, {end}"
        own_rest = f"schema: STRING, payload: STRUCT<{tree.own_members.removesuffix(', ')}>, {end}"
        chosen = (
            f"if(o.schema IS NOT NULL AND o.payload IS NOT NULL, {_listed(tree, 'o.payload', fields)}, {own})"
        )
    picked = f"get(transform(array({tree.named(wrapper.value_sql('p'), own_rest)}), o -> {chosen}), 0)"
    parse = wrapper.parsed_sql(f"STRUCT<{tree.members}{rest}>", "_key_text")
    return f"get(transform(array({parse}), p -> if({wrapper.whole_sql('p')}, {picked}, NULL)), 0)"


def _listed(tree: JsonTree, record: str, fields: tuple[ReadField, ...]) -> str:
    return "array(" + ", ".join(tree.of(record, field) for field in fields) + ")"


def _of_list(wrapper: JsonWrapper, fields: tuple[ReadField, ...]) -> str:
    is_list = "_key_sign = '['"
    items = f"get(p.{wrapper.root}, 0)"
    bare = "false" if len(fields) > 1 else "true"
    valid = f"{wrapper.all_items_sql('p')} AND ({is_list} OR {bare}) AND size({items}) = {len(fields)}"
    return (
        f"get(transform(array({wrapper.items_sql('_key_text', is_list)}), p -> if({valid}, {items}, "
        "NULL)), 0)"
    )
