"""Rows as bytes, as operators of the JVM keep them: every type comes back, other fields are refused."""

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column
from jobs.engine.failures import failure_of
from jobs.engine.keyed_state import Stored
from jobs.expressions.texts_sql import string_sql

pytestmark = pytest.mark.integration

VALUES = {
    "small": "cast(1.50 AS DECIMAL(4,2))",
    "large": "cast('-12345678901234567890.123456789012345678' AS DECIMAL(38,18))",
    "long": "9007199254740993L",
    "nan": "double('NaN')",
    "old": "timestamp'0001-01-01 00:00:00.000001'",
    "late": "timestamp'9999-12-31 23:59:59.999999'",
    "day": "date'0001-01-01'",
    "text": "'é☃'",
    "bytes": "X'00FF'",
    "none": "cast(NULL AS STRING)",
    "nested": "named_struct('a', array(named_struct('b', 1, 'c', NULL), NULL), 'm', map('k', array(1)))",
}


def rows(spark: SparkSession) -> DataFrame:
    """One row for a number, so that nothing is computed when the query is planned."""
    return spark.range(3).select(*(column(f"if(id < 0, NULL, {sql})", name) for name, sql in VALUES.items()))


def shown(frame: DataFrame) -> list[str]:
    return [row[0] for row in frame.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"})).collect()]


def test_every_type_comes_back(spark: SparkSession) -> None:
    frame = rows(spark)
    stored = Stored(frame, tuple(VALUES))
    back = frame.select(column(stored.packed, "_row")).select(stored.unpacked("_row")).select("_row.*")
    assert back.schema == frame.schema
    assert shown(back) == shown(frame)


def test_null_is_null(spark: SparkSession) -> None:
    frame = rows(spark)
    stored = Stored(frame, ("text",))
    gone = frame.select(column(f"if(long > 0, NULL, {stored.packed})", "_row")).select(
        stored.unpacked("_row")
    )
    assert [row[0] for row in gone.collect()] == [None] * 3


@pytest.mark.parametrize(
    "other",
    ["named_struct('b', long)", "named_struct('a', string(long))", "named_struct('a', long, 'b', long)"],
)
def test_other_fields_are_refused(spark: SparkSession, other: str) -> None:
    frame = rows(spark).select(column("long", "a"))
    schema = frame.schema.json()
    written = rows(spark).select(column(f"weir_pack({other})", "_row"))
    with pytest.raises(Py4JJavaError) as refused:
        written.select(column(f"weir_unpack(_row, {string_sql(schema)})", "_row")).collect()
    assert failure_of(refused.value).code == "STATE_INCOMPATIBLE"
