"""What a record can become in Spark: parts that would be too large are null, and counted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from jobs.base.schemas import Field, Schema
from jobs.base.types import STRING, Array
from jobs.expressions import check_expression
from jobs.expressions.bind import bind
from jobs.expressions.functions.strings import MAX_REPLACED_BYTES
from jobs.expressions.interpreter import compile_tree
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.plain_spark import plain_sql
from jobs.expressions.size_bound import MAX_ROW_BYTES
from jobs.formats.contract import StreamContract
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

FIELDS = Schema((Field("t", STRING), Field("u", STRING), Field("a", Array(STRING))))
START = 1_767_225_600_000_000
TYPES = "t STRING, u STRING, a ARRAY<STRING>"


def spark_row(spark: SparkSession, text: str, values: Mapping[str, Any], *, plain: bool = False) -> Row:
    """The value's length, and whether it counts as failed."""
    expression, problems = check_expression(f"length({text})", FIELDS, ())
    assert expression is not None, problems
    sql, failed = expression.sql, " OR ".join(expression.failures) or "false"
    if plain:
        sql, failed = plain_sql(sql), plain_sql(failed)
    frame = spark.createDataFrame([tuple(values.get(name) for name in FIELDS.names)], TYPES)
    return frame.selectExpr(f"{sql} AS value", f"{failed} AS failed").collect()[0]


def here(text: str, values: Mapping[str, Any]) -> Any:
    parsed, problems = parse_tokens(tokens_of(f"length({text})", ())[0], text, ())
    assert parsed is not None, problems
    return compile_tree(bind(parsed.tree, FIELDS))({name: values.get(name) for name in FIELDS.names})


@pytest.mark.parametrize(
    ("text", "values", "length"),
    [
        ("replace(t, 'a', t)", {"t": "a" * 2000}, 4_000_000),
        ("replace(t, 'a', t)", {"t": "a" * 2048}, MAX_REPLACED_BYTES),
        ("replace(t, 'a', t)", {"t": "a" * 2049}, None),
        ("replace(t, 'a', t)", {"t": "a" * 900_000}, None),
        ("replace(t, u, 'xy')", {"t": "ab" * 1000, "u": "b"}, 3000),
        ("replace(t, u, 'x')", {"t": "ž" * 1000, "u": "ž"}, 1000),
        ("replace(t, u, 'xyz')", {"t": "abc", "u": ""}, 3),
        ("replace(t, 'aba', 'long and longer')", {"t": "ababa"}, 17),
        ("replace(t, 'a', 'bb')", {"t": None}, None),
    ],
)
def test_a_replaced_text_has_a_bound_here_and_in_jobs(
    spark: SparkSession, text: str, values: dict[str, Any], length: int | None
) -> None:
    row = spark_row(spark, text, values)
    assert row.value == length == here(text, values)
    assert row.failed == (length is None and values["t"] is not None)


@pytest.mark.parametrize(
    ("text", "values", "length"),
    [
        ("repeat(t, 100)", {"t": "a" * 900_000}, None),
        ("repeat(t, 100)", {"t": "a" * 600_000}, 60_000_000),
        ("repeat(repeat(t, 100), 10)", {"t": "a" * 100_000}, None),
        ("hex(hex(hex(hex(hex(hex(hex(t)))))))", {"t": "a" * 600_000}, None),
        ("to_json(transform(a, x -> repeat(x, 100)))", {"a": ["x" * 100] * 500}, 5_001_501),
        ("to_json(transform(a, x -> repeat(x, 100)))", {"a": ["x" * 100] * 10_000}, None),
    ],
)
def test_what_multiplies_a_large_text_is_null(
    spark: SparkSession, text: str, values: dict[str, Any], length: int | None
) -> None:
    row = spark_row(spark, text, values)
    assert (row.value, row.failed) == (length, length is None)


def test_a_script_does_not_look_at_sizes(spark: SparkSession) -> None:
    text = "repeat(t, 100) || replace(t, 'a', t) || repeat('x', 1)"
    assert spark_row(spark, text, {"t": "aa"}, plain=True) == Row(value=205, failed=False)


def test_fields_that_do_not_fit_into_the_row_are_null_and_the_row_counts_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    copies = {f"c{at:02}": "t" for at in range(40)}
    document = {
        "format": 1,
        "name": "wide",
        "sources": {"s": {"stream": "s"}},
        "steps": {
            "wide": {"op": "derive", "input": "s", "fields": {"n": "length(t)", **copies}},
            "sizes": {
                "op": "select",
                "input": "wide",
                "fields": {
                    "n": "n",
                    "t": "length(t)",
                    "first": "length(c00)",
                    "kept": f"size(filter(array({', '.join(copies)}), c -> c is not null))",
                },
            },
        },
        "outputs": {"sizes": {"input": "sizes", "to": "result"}},
    }
    contract = StreamContract.model_validate({"fields": [{"name": "t", "type": "string"}]})
    large, small = 900_000, 9
    played = SparkDocument(spark, tmp_path / "query", document, {"s": contract.model_dump(mode="json")})
    contents = played.batch(
        {"s": [(START + at, {"t": "x" * size}) for at, size in enumerate((large, small))]}
    )
    played.stop()
    rows = sorted(contents["sizes"].values(), key=lambda row: -row["n"])
    assert played.errors == {"wide": 1}
    fits = MAX_ROW_BYTES // large - 1  # and t itself
    assert [(row["n"], row["t"], row["first"], row["kept"]) for row in rows] == [
        (large, large, large, fits),
        (small, small, small, 40),
    ]
