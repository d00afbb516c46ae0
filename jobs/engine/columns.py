"""The only place where text becomes Spark columns: rendered expressions, and SQL written in this folder.

Text of users never gets here: `jobs.expressions` parses, checks and renders it.
"""

from functools import lru_cache
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import interval, shifted
from jobs.expressions.write_spark import any_of

_KEPT_CHARACTERS: Final = 1_000  # of a text whose column is kept


def column(sql: str, name: str | None = None) -> Column:
    """The column of a Spark SQL text, renamed where a name is given."""
    return _kept(sql, name) if len(sql) <= _KEPT_CHARACTERS else _made(sql, name)


def _made(sql: str, name: str | None) -> Column:
    made = F.expr(sql)
    return made if name is None else made.alias(name)


# A column never changes, and knows no session: a document that is planned again, as with each change of a
# preview, finds those of last time, where each would take two calls of the JVM.
_kept = lru_cache(maxsize=4_096)(_made)


__all__ = ["any_of", "column", "interval", "quoted", "shifted"]
