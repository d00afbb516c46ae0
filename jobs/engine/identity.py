"""The identity of a row inside Spark."""

from jobs.engine.rows import Rows, row_identity
from jobs.engine.spark_type_mapping import from_spark_type
from jobs.expressions.spark_types import quoted
from jobs.operators.identity_sql import identity_sql


def identity_text(rows: Rows) -> str:
    """Spark SQL of each row's identity, as text."""
    types = rows.frame.schema
    names = row_identity(rows.relation)
    given = frozenset(quoted(name) for name in names if not types[name].nullable)
    return identity_sql(
        [(quoted(name), from_spark_type(types[name].dataType)) for name in names], given=given
    )
