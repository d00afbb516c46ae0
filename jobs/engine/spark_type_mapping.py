"""Maps Spark's types to Weir's, for system columns and keys."""

from pyspark.sql import types as T  # noqa: N812

from jobs.base.types import DataType, Member, Struct, parse_type

_NAMES = {"bigint": "long", "binary": "bytes"}


def from_spark_type(data_type: T.DataType) -> DataType:
    """The type of a column: atomic, decimal, or a struct of these.

    Raises:
        TypeTextError: another type.
    """
    if isinstance(data_type, T.StructType):
        return Struct(
            tuple(Member(field.name, from_spark_type(field.dataType)) for field in data_type.fields)
        )
    name = data_type.simpleString()
    return parse_type(_NAMES.get(name, name))
