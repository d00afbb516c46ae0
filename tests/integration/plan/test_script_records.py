"""Rendered scripts over the shared tables of records: rows of well-formed records, and nothing of others."""

import json
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.sinks.kafka import row_json_sql
from jobs.formats.contract import StreamContract
from jobs.plan import Plan, plan_job
from jobs.plan.render import render
from tests.support.record_tables import GROUPS, TABLES, expected_of, key_of, value_of

pytestmark = [pytest.mark.integration, pytest.mark.long]

UNREAD = {"avro", "csv", "heartbeat", "schema_json"}
"""Tables whose formats a script refuses; and of heartbeats it knows nothing."""
LENIENT = {
    "json: 65 deep",
    "debezium: too deep",
    "json: a key that is no text",
    "keyed: 65 levels",
    "keyed: a payload that is no object",
    "keyed: all digits of a number with an exponent",
}
"""Malformed records that a script reads all the same, and one that it reads as a double, by name of the table
and title."""
STRICT = {"json: a key twice, the last counts", "keyed: a number of a thousand digits elsewhere"}
"""Records that a script leaves out, though an engine reads them."""


def plan_of(group: dict[str, Any]) -> Plan:
    """A job that gives every row with its offset and time."""
    contract = StreamContract.model_validate(group["contract"])
    document = {
        "format": 1,
        "name": "records",
        "sources": {"s": {contract.kind: "s"}},
        "steps": {
            "all": {"op": "derive", "input": "s", "fields": {"zz_offset": "_offset", "zz_time": "_time"}}
        },
        "outputs": {"out": {"input": "all", "to": "result"}},
    }
    return plan_job(document, {"s": contract})


def is_read(group: dict[str, Any]) -> bool:
    plan = plan_of(group)
    return plan.ok and not render(plan).refusals


CASES = [(name, group) for name, group in GROUPS if name != "heartbeat" and is_read(group)]


def test_every_format_is_read() -> None:
    assert {name for name, _ in CASES} == set(TABLES) - UNREAD


@pytest.mark.parametrize(("name", "group"), CASES, ids=[f"{name}: {group['title']}" for name, group in CASES])
def test_the_tables(spark: SparkSession, name: str, group: dict[str, Any]) -> None:
    plan = plan_of(group)
    parts: dict[str, Any] = {"__name__": "weir_script"}
    exec(compile(render(plan).text, "script.py", "exec"), parts)
    records = [(value_of(case), key_of(case), at) for at, case in enumerate(group["cases"])]

    def read(session: SparkSession, options: Any, source: str, *, static: bool = False) -> DataFrame:
        """As the script's own, over bytes as they are."""
        frame = session.createDataFrame(records, "value BINARY, key BINARY, _offset BIGINT").coalesce(1)
        value = "CAST(value AS STRING) AS value"
        at = f"timestamp_micros({TABLES[name]['timestamp_us']}) AS _timestamp"
        return frame.selectExpr("CAST(key AS STRING) AS key", value, at, "0 AS _partition", "_offset")

    parts["read"] = read
    session = spark.newSession()
    parts["configure"](session)
    relation = plan.relation("all")
    gone = F.expr("_deleted" if relation.kind == "upsert" else "false")
    found = {}
    for text, deleted in (
        parts["build"](session, None)["out"].select(F.expr(row_json_sql(relation)), gone).collect()
    ):
        row = json.loads(text)
        found[row.pop("zz_offset")] = {"time": row.pop("zz_time"), "row": row, "deleted": deleted}
    wrong = []
    for at, case in enumerate(group["cases"]):
        title = f"{name}: {case['title']}"
        expected = expected_of(case) if "row" in case and title not in STRICT else None
        if found.get(at) != expected and title not in LENIENT:
            wrong.append(f"{case['title']}: {found.get(at)} instead of {expected}")
    assert not wrong, "\n".join(wrong)
