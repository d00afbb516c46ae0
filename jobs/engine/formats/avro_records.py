"""Avro in Spark: batches of records as Arrow columns through the decoder of `jobs.formats.avro_records` itself.

Records of several schema versions may follow each other in one batch; Spark's own `from_avro` knows one version, and does
not notice bytes that are left over. Python runs in micro-batches only: `jobs.formats.realtime` says so.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import StructType

from jobs.base.schemas import Field
from jobs.base.types import Array, DataType, Map, Struct
from jobs.engine.columns import column, quoted
from jobs.engine.formats.stages import BODY, FORM, KEY_FORM, OUTSIDE, kept_columns, unused_sql
from jobs.expressions.spark_types import schema_sql
from jobs.formats.avro_records import read_avro
from jobs.formats.contract import StreamContract
from jobs.formats.encodings import AvroEncoding
from jobs.formats.record_key import key_fields, read_key
from jobs.formats.records import Malformed

Decode = Callable[[Any], "dict[str, Any] | Malformed"]


def read_avro_values(frame: DataFrame, encoding: AvroEncoding, fields: tuple[Field, ...], used: tuple[str, ...]) -> DataFrame:
    """Fields of Avro records; parameters and result as of `jobs.engine.formats.json_records.read_json`.

    The body is the whole value, with its frame.
    """
    parsed = tuple(field for field in fields if field.name in used)
    read = frame.select("*", _through_python(lambda body: read_avro(body, encoding, parsed), parsed)(F.col(BODY)).alias("_avro"))
    values = [column(f"_avro.{quoted(f.name)}" if f in parsed else unused_sql(f), f.name) for f in fields]
    form = column(f"coalesce({OUTSIDE}, _avro.{FORM})", FORM)
    return read.select(*map(column, kept_columns(frame.columns, BODY, OUTSIDE)), *values, form)


def read_avro_keys(frame: DataFrame, contract: StreamContract, key: str) -> DataFrame:
    """The key fields from Avro keys, and `KEY_FORM`."""
    fields = key_fields(contract)
    read = frame.select("*", _through_python(lambda body: read_key(body, contract), fields)(F.col(key)).alias("_avro_key"))
    values = [column(f"_avro_key.{quoted(field.name)}", field.name) for field in fields]
    nothing = "'KEY_NULL'" if contract.kind == "table" else "NULL"
    form = column(f"if({quoted(key)} IS NULL, {nothing}, _avro_key.{FORM})", KEY_FORM)
    return read.select(*map(column, kept_columns(frame.columns, key)), *values, form)


def _through_python(decode: Decode, fields: tuple[Field, ...]) -> Any:
    """A function over a column of bytes that gives a struct of the fields and `FORM`; null gives nulls."""
    members = "".join(f"{quoted(field.name)}: {schema_sql(field.type)}, " for field in fields)
    returned = cast(StructType, StructType.fromDDL(f"{members}{FORM}: STRING"))
    shapes = [_shape(field.type) for field in fields]
    names = [field.name for field in fields]

    def read(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        types = [to_arrow_type(member.dataType, timezone="UTC") for member in returned.fields]
        for batch in batches:
            columns: list[list[Any]] = [[] for _ in returned.fields]
            for body in batch.to_pylist():
                found = None if body is None else decode(body)
                if isinstance(found, dict):
                    for place, (name, shape) in enumerate(zip(names, shapes, strict=True)):
                        columns[place].append(shape(found[name]))
                    columns[-1].append(None)
                else:
                    for place in range(len(names)):
                        columns[place].append(None)
                    columns[-1].append(found.reason if found is not None else None)
            arrays = [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)]
            yield pa.StructArray.from_arrays(arrays, [member.name for member in returned.fields])

    return arrow_udf(read, returned)  # type: ignore[call-overload]  # which kind it is, the annotations say


def _shape(data_type: DataType) -> Callable[[Any], Any]:
    """Values as Arrow takes them: maps as lists of pairs."""
    if not _has_map(data_type):
        return _same
    match data_type:
        case Map(value):
            inner = _shape(value)
            return lambda found: None if found is None else [(key, inner(part)) for key, part in found.items()]
        case Array(element):
            inner = _shape(element)
            return lambda found: None if found is None else [inner(part) for part in found]
        case Struct(members):
            parts = [(member.name, _shape(member.type)) for member in members]
            return lambda found: None if found is None else {name: shape(found[name]) for name, shape in parts}
        case _:
            return _same


def _same(value: Any) -> Any:
    return value


def _has_map(data_type: DataType) -> bool:
    match data_type:
        case Map():
            return True
        case Array(element):
            return _has_map(element)
        case Struct(members):
            return any(_has_map(member.type) for member in members)
        case _:
            return False
