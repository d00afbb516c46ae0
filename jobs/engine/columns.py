"""The only place where text becomes Spark columns: rendered expressions, and SQL written in this folder.

Text of users never gets here: `jobs.expressions` parses, checks and renders it.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import interval, shifted
from jobs.expressions.write_spark import any_of


def column(sql: str, name: str | None = None) -> Column:
    """The column of a Spark SQL text, renamed where a name is given."""
    made = F.expr(sql)
    return made if name is None else made.alias(name)


__all__ = ["any_of", "column", "interval", "quoted", "shifted"]
