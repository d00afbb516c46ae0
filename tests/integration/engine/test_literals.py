"""A literal is its text: it can't read the engine's environment, settings or JVM properties."""

import pytest
from pyspark.sql import SparkSession

from jobs.base.schemas import Schema
from jobs.engine.columns import column
from jobs.expressions import check_expression
from jobs.expressions.write_spark import string_sql

pytestmark = pytest.mark.integration

TEXTS = (
    "${env:PATH}", "${PATH}", "${system:user.home}", "${spark.master}", "${spark:spark.app.name}",
    "a${env:HOME}b", "$ {}", "${",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_literal_is_not_a_variable(spark: SparkSession, text: str) -> None:
    assert spark.range(1).select(column(string_sql(text))).first()[0] == text


@pytest.mark.parametrize("text", TEXTS)
def test_a_users_literal_is_not_a_variable(spark: SparkSession, text: str) -> None:
    bound, problems = check_expression(string_sql(text), Schema(()), ())
    assert bound is not None, problems
    assert spark.range(1).select(column(bound.sql)).first()[0] == text
