"""Avro keys in Spark: batches of them as Arrow columns through the decoder of `jobs.formats.record_key`
itself. Python runs in micro-batches only: `jobs.formats.realtime` says so.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.formats.arrow_udf import decode_udf
from jobs.engine.formats.decode_columns import (
    KEY_STATUS,
    VALUE_STATUS,
    kept_columns,
)
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.formats.contract import StreamContract
from jobs.formats.record_key import key_fields, read_key


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
