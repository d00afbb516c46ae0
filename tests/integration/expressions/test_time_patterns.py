"""Whatever pattern of an instant passes the check means the same in Spark, and in a contract."""

from datetime import UTC

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from jobs.base.schemas import Field, Schema
from jobs.base.time_patterns import compile_pattern, pieces_of, quoted_text
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


def near(pattern: str) -> list[str]:
    """The text of a pattern, and some that are almost one."""
    text = shown(pattern)
    years = (text.replace("2026", year) for year in ("0000", "12026", "+2026", "-026"))
    return list(dict.fromkeys([text, *years, text.upper(), f"+{text}", f"{text} ", text[:-1]]))


PATTERNS = st.lists(PARTS, min_size=1, max_size=6).map("".join)


@example(["'''a'", "[yyyy", "MMMM", "SSSSSSSSSSSS", "yyyyMMddHHmmssSSS", "yyyy'a'MM", "ssSXXX"])
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
            texts = ", ".join(map(string_sql, near(pattern)))
            columns = f"{literal} as pattern, {written.sql} as shown, s, unix_micros({read.sql}) as read"
            taken[pattern] = f"(select {columns} from (select explode(array({texts})) as s))"
    if not taken:
        return
    rows = spark.sql(" union all ".join(taken.values())).collect()
    assert {row["pattern"]: row["shown"] for row in rows} == {pattern: shown(pattern) for pattern in taken}
    compiled = {pattern: compile_pattern(pattern) for pattern in taken}
    of_contracts = {
        (pattern, text): found.read(text, UTC)
        for pattern, found in compiled.items()
        if found is not None
        for text in near(pattern)
    }
    found = {(row["pattern"], row["s"]): row["read"] for row in rows}
    assert {key: found[key] for key in of_contracts} == of_contracts
