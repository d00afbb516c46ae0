"""Spark writes the same identities as Python and TypeScript."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.base.types import parse_type
from jobs.engine.columns import column
from jobs.expressions.spark_types import schema_sql
from jobs.operators.identity_sql import IdentityTypeError, identity_sql

pytestmark = pytest.mark.integration

VECTORS = json.loads(
    (Path(__file__).parents[2] / "unit" / "jobs" / "base" / "identity_vectors.json").read_text("utf-8")
)
# Rows as parts come with stream–stream joins; no operator of the engine makes them yet.
FLAT = [vector for vector in VECTORS if all(part["type"] != "row" for part in vector["parts"])]


def literal(part: dict[str, Any]) -> str:
    data_type = parse_type(part["type"])
    if part["value"] is None:
        return f"cast(NULL AS {schema_sql(data_type)})"
    if part["type"] == "bytes":
        return f"X'{base64.b64decode(part['value']).hex()}'"
    if part["type"] == "string":
        return f"cast(X'{part['value'].encode().hex()}' AS STRING)"
    value = str(part["value"]).lower() if isinstance(part["value"], bool) else part["value"]
    return f"cast('{value}' AS {schema_sql(data_type)})"


@pytest.mark.parametrize("vector", FLAT, ids=[vector["title"] for vector in FLAT])
def test_the_vectors(spark: SparkSession, vector: dict[str, Any]) -> None:
    parts = vector["parts"]
    frame = spark.range(1).select("id", *(column(literal(part), f"p{at}") for at, part in enumerate(parts)))
    made = identity_sql([(f"p{at}", parse_type(part["type"])) for at, part in enumerate(parts)])
    assert frame.select(column(made)).first()[0] == vector["text"]


def test_doubles_are_no_identity() -> None:
    with pytest.raises(IdentityTypeError):
        identity_sql([("x", parse_type("double"))])
