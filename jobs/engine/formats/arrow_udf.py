"""A decoder in Python over a column of bytes, in Arrow batches: for formats that Spark cannot read by itself.

Python runs in micro-batches only: `jobs.formats.realtime` says so.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import pyarrow as pa
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import StructType

from jobs.base.types import Array, DataType, Map, Struct
from jobs.engine.columns import quoted
from jobs.engine.formats.decode_columns import VALUE_STATUS
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.expressions.spark_types import schema_sql
from jobs.formats.avro_records import SchemaOf
from jobs.formats.event_time_sql import CHANGE_MS
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField

Decode = Callable[[bytes, SchemaOf | None], "dict[str, Any] | Malformed"]
Shape = Callable[[Any], Any]
"""Makes a decoded value one that Arrow takes."""


def decode_udf(decode: Decode, fields: tuple[ReadField, ...], writers: WriterSchemas | None) -> Any:
    """A function over a column of bytes that gives a struct of the fields, `VALUE_STATUS` and `CHANGE_MS`;
    null gives nulls.

    Args:
        decode: bytes, and schemas of writers by id, to values by name of field, `VALUE_STATUS` and
            `CHANGE_MS`; what it leaves out is null.
        fields: of the struct.
        writers: where schemas are found whose ids the contract does not name; None: nowhere.
    """
    members = "".join(f"{quoted(field.name)}: {schema_sql(field.type)}, " for field in fields)
    returned = cast(StructType, StructType.fromDDL(f"{members}{VALUE_STATUS}: STRING, {CHANGE_MS}: BIGINT"))
    shapes = [(field.name, _shape(field.type)) for field in fields] + [
        (VALUE_STATUS, _same),
        (CHANGE_MS, _same),
    ]

    def read(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        types = [to_arrow_type(member.dataType, timezone="UTC") for member in returned.fields]
        for batch in batches:
            values_of = partial(_decoded, decode, writers.of_batch() if writers is not None else None)
            columns = _columns(batch.to_pylist(), values_of, shapes)
            arrays = [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)]
            yield pa.StructArray.from_arrays(arrays, [member.name for member in returned.fields])

    return arrow_udf(read, returned)  # type: ignore[call-overload]  # which kind it is, the annotations say


def _decoded(decode: Decode, schema_of: SchemaOf | None, body: bytes) -> dict[str, Any]:
    found = decode(body, schema_of)
    return {VALUE_STATUS: found.reason} if isinstance(found, Malformed) else found


def _columns(
    bodies: list[bytes | None],
    read: Callable[[bytes], dict[str, Any]],
    shapes: list[tuple[str, Shape]],
) -> list[list[Any]]:
    """The values of each member, one per body; null gives nulls."""
    columns: list[list[Any]] = [[] for _ in shapes]
    for body in bodies:
        values = {} if body is None else read(body)
        for column, (name, shape) in zip(columns, shapes, strict=True):
            column.append(shape(values.get(name)))
    return columns


def _shape(data_type: DataType) -> Shape:
    """Values as Arrow takes them: maps as lists of pairs."""
    if not _has_map(data_type):
        return _same
    match data_type:
        case Map(value):
            return _or_null(_pairs(_shape(value)))
        case Array(element):
            return _or_null(_items(_shape(element)))
        case Struct(members):
            return _or_null(_members([(member.name, _shape(member.type)) for member in members]))
        case _:
            return _same


def _or_null(shape: Shape) -> Shape:
    return lambda found: None if found is None else shape(found)


def _pairs(inner: Shape) -> Shape:
    return lambda found: [(key, inner(part)) for key, part in found.items()]


def _items(inner: Shape) -> Shape:
    return lambda found: [inner(part) for part in found]


def _members(parts: list[tuple[str, Shape]]) -> Shape:
    return lambda found: {name: shape(found[name]) for name, shape in parts}


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
