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


@example(["''", "'a'"])
@example(["[", "yyyy"])
@example(["MM", "MM"])
@example(["SSS", "SSSSSSSSS"])
@given(st.lists(PARTS, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pattern_that_passes_the_check_is_spark_s_too(spark: SparkSession, parts: list[str]) -> None:
    pattern = "".join(parts)
    literal = string_sql(pattern)
    written, _ = check_expression(f"format_timestamp({AT}, {literal})", FIELDS, ())
    read, _ = check_expression(f"to_timestamp(s, {literal})", FIELDS, ())
    assert (written is None) == (pieces_of(pattern) is None) == (read is None), pattern
    if written is None or read is None:
        return
    source = f"(select {string_sql(shown(pattern))} as s)"
    (row,) = spark.sql(f"select {written.sql} as shown, {read.sql} as read from {source}").collect()
    assert row["shown"] == shown(pattern), pattern
