"""explode of a map: entries in the order of their keys, in time that does not grow with their square."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.types import LONG, Map
from jobs.engine.columns import column
from jobs.operators.explode import ExplodeBound
from tests.support.plan_helpers import contract, document
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

LETTERS = "aAbB0 ~éž\u2028\uffee\U0001f600"  # the last two: UTF-16 and bytes order them differently
EXPLODED = ExplodeBound("m", ("key", "value"), Map(LONG), keep_empty=False, position=None)


def test_no_entry_is_looked_up_in_the_map(spark: SparkSession) -> None:
    """A look-up is a search from the first entry on: a record of 50,000 entries took minutes."""
    frame = spark.range(1).select(F.create_map(F.col("id").cast("string"), F.col("id")).alias("m"))
    exploded = frame.select(column(f"posexplode({EXPLODED.elements})").alias("at", "entry"))
    assert exploded.schema["entry"].dataType.simpleString() == "struct<key:string,value:bigint>"
    planned = exploded._jdf.queryExecution().optimizedPlan().toJSON()
    assert "MapEntries" in planned
    assert not any(name in planned for name in ("GetMapValue", "ElementAt"))


def test_a_large_map_keeps_every_entry_in_order(spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(7)
    made = {"".join(chance.choices(LETTERS, k=chance.randint(0, 6))): at for at in range(5_000)}
    steps = {"each": {"op": "explode", "input": "s", "field": "m", "position": "at"}}
    contracts = {"s": contract({"m": "map<string,long>"})}
    played = SparkDocument(spark, tmp_path / "query", document(steps), contracts)
    contents = played.batch({"s": [(1_767_225_600_000_000, {"m": made})]})
    played.stop()
    rows = sorted(contents["out"].values(), key=lambda row: row["at"])
    expected = sorted(made.items(), key=lambda entry: entry[0].encode())
    assert [(row["key"], row["value"]) for row in rows] == expected
