"""JSON held to a JSON Schema: Arrow batches through the decoder of `jobs.formats.json_records`.

What a validator quarantines must be what jobs skip: so both, and the browser, run one validator. It takes
Python's time for each record; other JSON is decoded in the JVM.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.formats.arrow_udf import decode_udf
from jobs.engine.formats.decode_columns import BODY, PRE_STATUS, VALUE_STATUS, kept_columns, unused_sql
from jobs.formats.json_records import read_json
from jobs.formats.record_formats import JsonEncoding
from jobs.formats.source_paths import ReadField


def read_schema_json(
    frame: DataFrame, encoding: JsonEncoding, fields: tuple[ReadField, ...], used: tuple[str, ...]
) -> DataFrame:
    """Fields of JSON objects; parameters and result as of `jobs.engine.formats.json_records.read_json`.

    The body is the whole value, with its frame. The whole record is tried, whichever fields are used.
    """
    parsed = tuple(field for field in fields if field.name in used)
    decode = decode_udf(lambda body, _: read_json(body, encoding, parsed), parsed, None)
    read = frame.select("*", decode(F.col(BODY)).alias("_json"))
    values = [column(f"_json.{quoted(f.name)}" if f in parsed else unused_sql(f), f.name) for f in fields]
    status = column(f"coalesce({PRE_STATUS}, _json.{VALUE_STATUS})", VALUE_STATUS)
    return read.select(*map(column, kept_columns(frame.columns, BODY, PRE_STATUS)), *values, status)
