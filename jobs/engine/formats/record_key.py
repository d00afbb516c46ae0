"""Key fields in Spark: in the JVM, but for Avro keys, which are read by `jobs.formats.record_key` itself."""

from typing import Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column, quoted
from jobs.engine.formats.avro_records import read_avro_keys
from jobs.engine.formats.decode_columns import KEY_STATUS, VALUE_STATUS, kept_columns
from jobs.engine.formats.native import key_decoder_sql
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import AvroEncoding
from jobs.formats.record_key import key_fields

KEY: Final = "_key"
_READ: Final = "_read_key"


def read_keys(frame: DataFrame, contract: StreamContract, writers: WriterSchemas | None) -> DataFrame:
    """The key fields.

    Args:
        frame: with `KEY`, BINARY.
        contract: of the stream or table.
        writers: where schemas of unknown ids are found; None: nowhere.

    Returns:
        The frame without `KEY`, with the key fields and `KEY_STATUS`.
    """
    if isinstance(contract.key_encoding, AvroEncoding):
        return read_avro_keys(frame, contract, KEY, writers)
    read = frame.select("*", column(key_decoder_sql(KEY, contract), _READ))
    values = [column(f"{_READ}.{quoted(field.name)}", field.name) for field in key_fields(contract)]
    rest = map(column, kept_columns(frame.columns, KEY))
    return read.select(*rest, *values, column(f"{_READ}.{VALUE_STATUS}", KEY_STATUS))
