"""Several outputs of one job on Spark: each has its rows, and shared upstream steps run once."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.lowering import lower_plan, output_records
from jobs.engine.sinks.kafka import record_columns
from jobs.plan import plan_job
from tests.support.plan_helpers import contract
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

FIELDS = {"k": "string", "x": "int!"}
AT = 1_767_261_600_000_000


def document(steps: dict[str, Any], **outputs: str) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "outputs",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": {
            name: {"input": reference, "to": "result" if at == 0 else {"topic": name}}
            for at, (name, reference) in enumerate(outputs.items())
        },
    }


def rows(*values: tuple[str, int]) -> dict[str, Any]:
    return {"s": [(AT + at * 1_000_000, {"k": k, "x": x}) for at, (k, x) in enumerate(values)]}


def test_rows_of_one_node_go_to_every_output_in_one_pass(spark: SparkSession, tmp_path: Path) -> None:
    steps = {
        "levels": {
            "op": "branch",
            "input": "s",
            "branches": {"up": "x > 1", "some": "x > 0"},
            "rest": "others",
        },
        "doubled": {"op": "derive", "input": "levels.up", "fields": {"twice": "x * 2"}},
        "named": {"op": "rename", "input": "doubled", "fields": {"k": "name"}},
        "large": {"op": "filter", "input": "named", "where": "twice > 4"},
    }
    written = document(steps, all="s", others="levels.others", some="levels.some", large="large")
    played = SparkDocument(
        spark, tmp_path / "played", written, {"s": contract(FIELDS).model_dump(mode="json")}
    )
    contents = played.batch(rows(("a", 2), ("b", 1), ("c", 0), ("d", 3)))
    played.stop()
    assert {name: list(content) for name, content in contents.items()} == {
        "all": [f'["s",0,{at}]' for at in range(4)],
        "others": ['["s",0,2]'],
        "some": ['["s",0,1]'],
        "large": ['["s",0,3]'],
    }
    assert contents["large"] == {'["s",0,3]': {"name": "d", "x": 3, "twice": 6}}


def test_a_changelog_feeds_two_outputs_from_one_state(spark: SparkSession, tmp_path: Path) -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}},
        "few": {"op": "filter", "input": "counts", "where": "n < 3"},
        "shown": {"op": "derive", "input": "few", "fields": {"more": "n + 1"}},
    }
    written = document(steps, counts="counts", few="shown")
    streams = {"s": contract(FIELDS)}
    played = SparkDocument(spark, tmp_path / "played", written, {"s": streams["s"].model_dump(mode="json")})
    first = played.batch(rows(("a", 1), ("a", 1), ("b", 1)))
    assert first["few"] == {'["a"]': {"k": "a", "n": 2, "more": 3}, '["b"]': {"k": "b", "n": 1, "more": 2}}
    second = played.batch(rows(("a", 1)))
    played.stop()
    assert second == {
        "counts": {'["a"]': {"k": "a", "n": 3}, '["b"]': {"k": "b", "n": 1}},
        "few": {'["b"]': {"k": "b", "n": 1, "more": 2}},
    }
    plan = plan_job(written, streams)
    raw = spark.readStream.format("rate").load().selectExpr(
        "cast(null as binary) key", "cast(null as binary) value", "'t' topic", "0 partition",
        "value offset", "timestamp",
        "cast(null as array<struct<key: string, value: binary>>) headers",
    )  # fmt: skip
    made = output_records(plan, lower_plan(plan, {"s": raw}), lambda _, found: record_columns(found, 1, None))
    assert str(made._jdf.queryExecution().analyzed()).count("Aggregate [") == 1


def test_late_rows_of_deduplicate_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    steps = {"once": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "1s", "late": "dead_letter"}}
    written = document(steps, once="once", late="once.late")
    played = SparkDocument(
        spark, tmp_path / "played", written, {"s": contract(FIELDS, delay="0s").model_dump(mode="json")}
    )
    for at in (100, 101, 102):
        played.batch({"s": [(AT + at * 1_000_000, {"k": "a", "x": at})]})
    contents = played.batch(
        {"s": [(AT + 50_000_000, {"k": "b", "x": 50}), (AT + 200_000_000, {"k": "c", "x": 200})]}
    )
    played.stop()
    assert [row["x"] for row in contents["once"].values()] == [100, 200]
    late = contents["late"]['["s",0,3]']
    assert (late["x"], late["late_step"], late["late_watermark"], late["late_by"]) == (
        50,
        "once",
        "2026-01-01T10:01:41.000000Z",
        51_000_000,
    )
