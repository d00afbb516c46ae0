"""Users' type texts become part of Spark SQL: each accepted text is the same type in Spark."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType as SparkType

from jobs.base.schemas import Field, Schema
from jobs.base.types import STRING, TypeTextError, parse_type
from jobs.expressions import check_expression, schema_sql
from jobs.expressions.texts_sql import string_sql

pytestmark = pytest.mark.integration

FIELDS = Schema((Field("s", STRING),))
NAMES = st.one_of(
    st.sampled_from(
        (
            "a",
            "select",
            "Struct",
            "_id",
            "x" * 63,
            "'",
            "`",
            "{",
            "}",
            "{0}",
            "a`b",
            "\\",
            "a b",
            "ä",
            ":",
            "1",
            "--",
            "/*",
        )
    ),
    st.text(max_size=3),
)
ATOMS = st.sampled_from(("boolean", "int", "long", "double", "string", "decimal(10,2)", "decimal(38,38)"))
TYPES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(lambda text: f"array<{text}>"),
        inner.map(lambda text: f"map<string,{text}>"),
        st.lists(st.tuples(NAMES, inner), min_size=1, max_size=3).map(
            lambda parts: "struct<" + ",".join(f"{n}:{t}" for n, t in parts) + ">"
        ),
    ),
    max_leaves=5,
)


def spark_types(spark: SparkSession, texts: list[str]) -> list[SparkType]:
    """Of values of these types of Spark SQL."""
    return [
        field.dataType
        for field in spark.sql("SELECT " + ", ".join(f"CAST(NULL AS {text})" for text in texts)).schema.fields
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(TYPES, min_size=1, max_size=20))
def test_a_type_that_is_accepted_is_that_type_to_spark(spark: SparkSession, texts: list[str]) -> None:
    accepted = []
    for text in texts:
        expression, _ = check_expression(f"from_json(s, {string_sql(text)})", FIELDS, ("test",))
        try:
            kind = parse_type(text)
        except TypeTextError:
            assert expression is None
            continue
        if expression is not None:
            accepted.append((schema_sql(kind), expression.sql))
    if not accepted:
        return
    frame = spark.createDataFrame([("{}",)], "s STRING").selectExpr(
        *(f"{sql} AS v{at}" for at, (_, sql) in enumerate(accepted))
    )
    expected = spark_types(spark, [ddl for ddl, _ in accepted])
    assert [field.dataType for field in frame.schema.fields] == expected


@pytest.mark.parametrize(
    "text",
    [
        "struct<':int>",
        "struct<{:int>",
        "struct<`:int>",
        "struct<a:int,a:int>",
        "struct<1:int>",
        "struct<a b:int>",
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    expression, problems = check_expression(f"from_json(s, {string_sql(text)})", FIELDS, ("test",))
    assert expression is None
    assert [found.code for found in problems] == ["TYPE_MISMATCH"]


@pytest.mark.parametrize(
    ("value", "is_read"),
    [
        ("E12345", True),
        ("12e45678-0000-4000-8000-000000000000", True),
        ("a12e45678", True),
        ("1e99999x", True),
        ("1e99999", False),
        (".5E+99999", False),
        ("-1.e-99999", False),
    ],
)
def test_of_texts_beside_a_decimal_only_numbers_of_that_size_are_refused(
    spark: SparkSession, value: str, is_read: bool
) -> None:
    """Two of a hundred random UUIDs begin as such a number does."""
    kind = "'struct<id:string,price:decimal(10,2)>'"
    expression, _ = check_expression(f"from_json(s, {kind})", FIELDS, ("test",))
    assert expression is not None
    records = [(f'{{"id":"{value}","price":1.5}}',), (f"{{'price':1.5,'id': '{value}'}}",)]
    frame = spark.createDataFrame(records, "s STRING").selectExpr(f"{expression.sql} AS v")
    assert [row.v is not None and str(row.v.price) == "1.50" for row in frame.collect()] == [is_read] * 2
