"""The identity of a row inside Spark."""

from jobs.base.types import DataType
from jobs.engine.rows import Rows, row_identity
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.expressions.spark_types import quoted
from jobs.operators.identity_sql import identity_sql, is_plain_identity


def identity_text(rows: Rows) -> str:
    """Spark SQL of each row's identity, as text."""
    parts, given = _parts(rows)
    return identity_sql(parts, given=given)


def identity_bytes(rows: Rows) -> str:
    """Spark SQL of the same in UTF-8, which a class of the JVM writes where it can."""
    parts, given = _parts(rows)
    if not is_plain_identity(parts, given):
        return f"cast({identity_sql(parts, given=given)} AS BINARY)"
    members = ", ".join(f"'_{at}', {sql}" for at, (sql, _) in enumerate(parts))
    return f"weir_json_array(named_struct({members}))"


def _parts(rows: Rows) -> tuple[list[tuple[str, DataType]], frozenset[str]]:
    """The parts of an identity, and the SQL of those that are never null."""
    types, names = rows.frame.schema, row_identity(rows.relation)
    given = frozenset(quoted(name) for name in names if not types[name].nullable)
    return [(quoted(name), from_spark_type(types[name].dataType)) for name in names], given
