"""Whatever pattern of an instant passes the check means the same in Spark."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from jobs.base.schemas import Field, Schema
from jobs.base.time_patterns import pieces_of, quoted_text
from jobs.base.types import STRING
from jobs.expressions import check_expression
from jobs.expressions.texts_sql import string_sql

pytestmark = pytest.mark.integration

FIELDS = Schema((Field("s", STRING),))
AT = "timestamp '2026-03-04T05:06:07.089012Z'"
SHOWN = {
    "yyyy": "2026", "MM": "03", "dd": "04", "HH": "05", "mm": "06", "ss": "07", "XXX": "Z",
    **{"S" * digits: "089012000"[:digits] for digits in range(1, 10)},
}  # fmt: skip
PARTS = st.sampled_from(
    (*SHOWN, "'a'", "''", "'it''s'", "'[{#'", "-", ":", " ", "ä", "\\", "[", "]", "{", "#", "M", "'")
)


def shown(pattern: str) -> str:
    pieces = pieces_of(pattern) or []
    return "".join(SHOWN.get(piece, quoted_text(piece) if piece[0] == "'" else piece) for piece in pieces)


PATTERNS = st.lists(PARTS, min_size=1, max_size=6).map("".join)


@example(["'''a'", "[yyyy", "MMMM", "SSSSSSSSSSSS"])
@given(st.lists(PATTERNS, min_size=30, max_size=30))  # a query takes Spark as long as thirty patterns
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_patterns_that_pass_the_check_are_spark_s_too(spark: SparkSession, patterns: list[str]) -> None:
    taken: dict[str, str] = {}  # query by pattern
    for pattern in patterns:
        literal = string_sql(pattern)
        written, _ = check_expression(f"format_timestamp({AT}, {literal})", FIELDS, ())
        read, _ = check_expression(f"to_timestamp(s, {literal})", FIELDS, ())
        assert (written is None) == (pieces_of(pattern) is None) == (read is None), pattern
        if written is not None and read is not None:
            text = string_sql(shown(pattern))
            taken[pattern] = f"(select {written.sql} as shown, {read.sql} as read from (select {text} as s))"
    if taken:
        rows = spark.sql(" union all ".join(taken.values())).collect()
        assert [row["shown"] for row in rows] == [shown(pattern) for pattern in taken]
