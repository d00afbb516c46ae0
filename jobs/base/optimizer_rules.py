"""Rules of Spark's optimizer that are off, in engines and in scripts (`docs/spark.md`)."""

from typing import Final

# The first makes lower(x) of lower(upper(x)), which is another text; the second a + b + 1 of a + 1 + b, which
# may overflow where that does not.
CHANGE_ANSWERS: Final = ("SimplifyCaseConversionExpressions", "ReorderAssociativeOperator")
# They push a semi join below other operators: an aggregate would close its windows, and drop late rows, at
# another time.
MOVE_SEMI_JOINS: Final = ("PushDownLeftSemiAntiJoin", "PushLeftSemiLeftAntiThroughJoin")
