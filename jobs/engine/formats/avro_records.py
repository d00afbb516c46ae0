"""Avro in Spark: batches of records as Arrow columns through the decoder of `jobs.formats.avro_records`
itself.

Records of several schema versions may follow each other in one batch; Spark's own `from_avro` knows one
version, and does not notice bytes that are left over. Python runs in micro-batches only:
`jobs.formats.realtime` says so.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.formats.arrow_udf import decode_udf
from jobs.engine.formats.decode_columns import (
    BODY,
    KEY_STATUS,
    PRE_STATUS,
    VALUE_STATUS,
    kept_columns,
    unused_sql,
)
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.formats.avro_records import read_avro
from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.record_key import key_fields, read_key
from jobs.formats.source_paths import ReadField


def read_avro_values(
    frame: DataFrame,
    encoding: AvroEncoding,
    fields: tuple[ReadField, ...],
    used: tuple[str, ...],
    writers: WriterSchemas | None,
) -> DataFrame:
    """Fields of Avro records; parameters and result as of `jobs.engine.formats.json_records.read_json`.

    The body is the whole value, with its frame. Ids that the encoding does not name are looked up among
    `writers`.
    """
    parsed = tuple(field for field in fields if field.name in used)
    decode = decode_udf(lambda body, schema_of: read_avro(body, encoding, parsed, schema_of), parsed, writers)
    read = frame.select("*", decode(F.col(BODY)).alias("_avro"))
    values = [column(f"_avro.{quoted(f.name)}" if f in parsed else unused_sql(f), f.name) for f in fields]
    status = column(f"coalesce({PRE_STATUS}, _avro.{VALUE_STATUS})", VALUE_STATUS)
    return read.select(*map(column, kept_columns(frame.columns, BODY, PRE_STATUS)), *values, status)


def read_avro_keys(
    frame: DataFrame, contract: StreamContract, key: str, writers: WriterSchemas | None
) -> DataFrame:
    """The key fields from Avro keys, and `KEY_STATUS`; `writers` as for values."""
    fields = key_fields(contract)
    decode = decode_udf(lambda body, schema_of: read_key(body, contract, schema_of), fields, writers)
    read = frame.select("*", decode(F.col(key)).alias("_avro_key"))
    values = [column(f"_avro_key.{quoted(field.name)}", field.name) for field in fields]
    nothing = "'KEY_NULL'" if contract.kind == "table" else "NULL"
    status = column(f"if({quoted(key)} IS NULL, {nothing}, _avro_key.{VALUE_STATUS})", KEY_STATUS)
    return read.select(*map(column, kept_columns(frame.columns, key)), *values, status)
