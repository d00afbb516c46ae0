"""Rendered scripts read fields from where the contract says, whatever the members are called."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from jobs.plan import Plan, plan_job
from jobs.plan.render import render
from tests.support.record_tables import TABLES
from tests.support.rendered_script import RenderedScript

pytestmark = pytest.mark.integration

TABLE = TABLES["path"]


def plan_of(group: dict[str, Any]) -> Plan:
    names = [field["name"] for field in group["contract"]["fields"]]
    select = {"op": "select", "input": "s", "fields": {name: name for name in names}}
    source = {"table": "s"} if group["contract"].get("kind") == "table" else {"stream": "s"}
    document = {
        "format": 1,
        "name": "t",
        "sources": {"s": source},
        "steps": {"all": select},
        "outputs": {"out": {"input": "all", "to": "result"}},
    }
    return plan_job(document, {"s": StreamContract.model_validate({**group["contract"], "delay": "0s"})})


GROUPS = [
    group
    for group in TABLE["groups"]
    if group["contract"].get("kind") != "table" and not render(plan_of(group)).refusals
]


def test_the_groups() -> None:
    assert {
        "members as they are in the world",
        "any text is a name",
        "nested members",
        "change events under other names",
    } <= {group["title"] for group in GROUPS}


@pytest.mark.parametrize("group", GROUPS, ids=[group["title"] for group in GROUPS])
def test_a_group(spark: SparkSession, tmp_path: Path, group: dict[str, Any]) -> None:
    plan = plan_of(group)
    assert plan.ok, plan.problems
    script = RenderedScript(spark, tmp_path / "script", plan)
    cases = [case for case in group["cases"] if case["value"] is not None]
    script.read({"s": [(TABLE["timestamp_us"], case.get("key"), case["value"]) for case in cases]})
    assert script.rows("out") == [case["row"] for case in cases if "row" in case]


def test_a_key_under_another_name(spark: SparkSession, tmp_path: Path) -> None:
    group = next(group for group in TABLE["groups"] if group["title"] == "keys under other names")
    plan = plan_of(group)
    assert plan.ok, plan.problems
    script = RenderedScript(spark, tmp_path / "script", plan)
    cases = [case for case in group["cases"] if "row" in case and not case.get("deleted")]
    keys = [
        '{"_id":1,"key-of":{"part 1":"p"}}',
        '[2,"p"]',
        '{"schema":{},"payload":{"_id":3,"key-of":{"part 1":"p"}}}',
        '{"id":4,"part":"p"}',
    ]
    script.read({"s": [(TABLE["timestamp_us"], key, cases[0]["value"]) for key in keys]})
    assert sorted(script.rows("out"), key=lambda row: row["id"]) == [
        {"id": number, "part": "p", "v": "x"} for number in (1, 2, 3)
    ]
