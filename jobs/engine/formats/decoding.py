"""Records of a stream or table as typed rows in Spark, with the results of `jobs.formats.decoding`."""

from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.engine.columns import column, quoted
from jobs.engine.formats.decode_columns import (
    BODY,
    DELETED,
    KEY_STATUS,
    PRE_STATUS,
    VALUE_STATUS,
    unused_sql,
)
from jobs.engine.formats.json_schema import read_schema_json
from jobs.engine.formats.native import read_values
from jobs.engine.formats.record_key import KEY, read_keys
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.expressions.texts_sql import string_sql
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import value_fields
from jobs.formats.event_time_sql import deletion_time_sql, event_time_sql, time_reason_sql
from jobs.formats.heartbeats import HEADER as HEARTBEAT
from jobs.formats.json_wire import iso_timestamp
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.realtime import needs_python
from jobs.formats.record_formats import JsonEncoding

_KEPT: Final = ("_timestamp", "_partition", "_offset")
RAW: Final = "_raw"
"""STRUCT<key, value, headers>: a record as it came, where `with_raw`."""


def decoded(
    raw: DataFrame,
    contract: StreamContract,
    used_fields: tuple[str, ...],
    writers: WriterSchemas | None = None,
    *,
    with_raw: bool = False,
) -> DataFrame:
    """Records of one stream or table as typed rows.

    Args:
        raw: columns of the Kafka source, headers included.
        contract: what a record must be.
        used_fields: declared fields to parse; the others come out as null. Key fields of a table are always
            parsed.
        writers: where schemas are found whose ids the contract does not name; None: nowhere.
        with_raw: keep each record as it came, in `RAW`.

    Returns:
        All fields of the contract, then `_time`, `_timestamp`, `_partition`, `_offset`, `_heartbeat` (true:
        only the time counts), of a table `_deleted` (true: the row of this key is gone), and `_reason`: null
        for a well-formed record or heartbeat; ``SKIPPED`` for a record that is neither row nor malformed;
        otherwise why it is malformed.
    """
    is_keyed = bool(contract.key) and (contract.kind == "table" or bool(set(contract.key) & set(used_fields)))
    frame = raw.select(
        column(f"weir_header(headers, {string_sql(HEARTBEAT)})", "_beat"),
        column("key", KEY) if is_keyed else column("cast(NULL AS STRING)", KEY_STATUS),
        column("timestamp", "_timestamp"),
        column("partition", "_partition"),
        column("offset", "_offset"),
        *([column("struct(key, value, headers)", RAW)] if with_raw else []),
        *_bodies(contract),
    )
    valued = _values(frame, contract, used_fields, writers)
    keyed = read_keys(valued, contract, writers) if is_keyed else valued
    fields = [_field(keyed, contract, name) for name in contract.schema_of_rows.names]
    timed = keyed.select("*", column(_time_sql(contract), "_time"))
    deleted = (
        [column(f"coalesce({VALUE_STATUS} = '{DELETED}', false)", "_deleted")]
        if contract.kind == "table"
        else []
    )
    return timed.select(
        *map(column, fields),
        column("timestamp_micros(_time)", "_time"),
        *map(column, _KEPT),
        column("_beat IS NOT NULL", "_heartbeat"),
        *deleted,
        *([column(RAW)] if with_raw else []),
        column(_reason_sql(contract, used_fields), "_reason"),
    )


def _field(frame: DataFrame, contract: StreamContract, name: str) -> str:
    """A field; key fields that nothing reads are null."""
    if name in frame.columns:
        return quoted(name)
    field = contract.schema_of_rows.get(name)
    if field is None:
        raise ValueError(f"{name} is not declared")
    return f"{unused_sql(field)} AS {quoted(name)}"


def _bodies(contract: StreamContract) -> list[Column]:
    """What the decoder of the values is given. The one in Python knows no limits of its own."""
    if not needs_python(contract):
        return [column("value", BODY)]
    return [
        column(f"if(octet_length(value) <= {MAX_BYTES}, value, NULL)", BODY),
        column(_pre_status_sql(contract), PRE_STATUS),
    ]


def _pre_status_sql(contract: StreamContract) -> str:
    nothing = DELETED if contract.kind == "table" else "VALUE_NULL"
    return (
        f"CASE WHEN value IS NULL THEN '{nothing}' WHEN octet_length(value) > {MAX_BYTES} "
        "THEN 'TOO_LARGE' END"
    )


def _values(
    frame: DataFrame, contract: StreamContract, used: tuple[str, ...], writers: WriterSchemas | None
) -> DataFrame:
    fields = value_fields(contract)
    if isinstance(contract.encoding, JsonEncoding) and needs_python(contract):
        return read_schema_json(frame, contract.encoding, fields, used)
    return read_values(frame, contract, fields, used, writers)


def _time_sql(contract: StreamContract) -> str:
    found = event_time_sql(contract)
    if contract.kind == "table":
        found = f"if({VALUE_STATUS} IS NULL, {found}, {deletion_time_sql(contract)})"
    beat = f"unix_micros({iso_timestamp('_beat')})"
    return (
        f"CASE WHEN _beat IS NOT NULL THEN {beat} WHEN {VALUE_STATUS} IS NULL "
        f"OR {VALUE_STATUS} = '{DELETED}' THEN {found} END"
    )


def _reason_sql(contract: StreamContract, used: tuple[str, ...]) -> str:
    proved = contract.key if contract.kind == "table" else ()
    required = [
        f.name for f in contract.schema_of_rows if not f.nullable and f.name in used and f.name not in proved
    ]
    missing = " OR ".join(["false", *(f"{quoted(name)} IS NULL" for name in required)])
    return (
        f"CASE WHEN _beat IS NULL AND {VALUE_STATUS} IS NOT NULL AND {VALUE_STATUS} <> '{DELETED}' "
        f"THEN {VALUE_STATUS} WHEN _beat IS NULL AND {KEY_STATUS} IS NOT NULL THEN {KEY_STATUS} "
        f"WHEN _beat IS NULL AND {VALUE_STATUS} IS NULL AND ({missing}) THEN 'FIELD_MISSING' "
        f"ELSE {time_reason_sql('_time', '_timestamp', contract)} END"
    )
