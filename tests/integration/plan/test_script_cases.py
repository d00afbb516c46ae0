"""Rendered scripts on Spark: every renderable golden case gives its final results when run over all rows."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.base.types import DOUBLE
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.plan import Plan, plan_job
from jobs.plan.render import render
from tests.oracle.answers import scripted
from tests.oracle.cases import Case, differences, load_cases
from tests.oracle.records import has_heartbeats
from tests.oracle.values import as_json
from tests.support.plan_helpers import contract, document
from tests.support.rendered_script import RenderedScript, records_of

pytestmark = [pytest.mark.integration, pytest.mark.long]


def plan_of(case: Case) -> Plan:
    return plan_job(
        case.document,
        {name: StreamContract.model_validate(contract) for name, contract in case.contracts.items()},
    )


CASES = [
    case
    for case in load_cases()
    if not render(plan_of(case)).refusals
    and not any(sink.names for sink in plan_of(case).sinks)
    and not has_heartbeats(case.batches)  # a script reads no headers
]  # what is written under other names: test_script.py


def test_scripts_cover_the_steps() -> None:
    written = {step["op"] for case in CASES for step in json.loads(case.document)["steps"].values()}
    assert written == set(OPERATORS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    read = {
        name: [record for batch in case.batches for record in batch.get(name, [])]
        for name in json.loads(case.document)["sources"]
    }
    expected = scripted(case.document, case.contracts, [read, {}])[0][-1]
    script = RenderedScript(spark, tmp_path / "script", plan_of(case))
    script.read(records(case, read))
    found = {
        name: compared(script.rows(name), rows_of(case, name, content), case)
        for name, content in expected.items()
    }
    assert found == {name: [] for name in expected}


CHANGELOGS = [
    case
    for case in CASES
    if any(
        node.output.kind == "upsert"
        for node in plan_of(case).live_nodes
        if node.op in ("filter", "latest", "branch")
    )
]


@pytest.mark.parametrize("case", CHANGELOGS, ids=lambda case: case.title)
def test_a_key_that_was_given_is_taken_away_later(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    """Batch by batch, as the case says; the script is stopped and started between them."""
    script = RenderedScript(spark, tmp_path / "script", plan_of(case))
    for at, batch in enumerate(case.batches):
        script.read(records(case, batch))
        # Spark closes what the watermark has passed at once, the contract in the batch after.
        expected = scripted(
            case.document, case.contracts, [part for done in case.batches[: at + 1] for part in (done, {})]
        )[0][-1]
        for name, content in expected.items():
            assert compared(script.rows(name), rows_of(case, name, content), case) == [], (at, name)


@pytest.mark.parametrize("measured", ["sum(x)", "count()"], ids=["a field is read", "no field is read"])
def test_malformed_records_are_left_out(spark: SparkSession, tmp_path: Path, measured: str) -> None:
    plan = plan_job(
        document({"n": {"op": "aggregate", "input": "s", "measures": {"n": measured}}}),
        {"s": contract({"x": "int"})},
    )
    values = [
        '{"x":1}',
        '{"x":2}',
        "{}",
        '[{"x":1}]',
        '"text"',
        "7",
        "null",
        "{'x':1}",
        '{"x":1} more',
        '{"x":1},{"x":2}',
        "",
    ]
    script = RenderedScript(spark, tmp_path / "script", plan)
    script.read(
        {"s": [(1, None, value) for value in [*values, *(['{"x":"many"}'] if "x" in measured else [])]]}
    )
    assert script.rows("out")[-1:] == [{"n": 3}]


def test_texts_times_decimals_and_bytes_are_read_as_the_service_does(
    spark: SparkSession, tmp_path: Path
) -> None:
    fields = {"k": "string", "at": "timestamp", "price": "decimal(10,2)", "raw": "bytes"}
    kept = {"op": "filter", "input": "s", "where": "true"}
    plan = plan_job(document({"kept": kept}), {"s": contract(fields)})
    good = {"k": "a", "at": "2026-01-01T10:00:00.000001Z", "price": 1.50, "raw": "AQI="}
    bad = [
        {**good, "k": 7},
        {**good, "at": 1_767_261_600},
        {**good, "at": "2026-13-01T00:00:00Z"},
        {**good, "price": "many"},
    ]
    script = RenderedScript(spark, tmp_path / "script", plan)
    script.read({"s": [(1, None, json.dumps(values)) for values in [good, *bad]]})
    assert script.rows("out") == [{**good, "price": "1.50"}]


def records(case: Case, batch: dict[str, list[tuple[int, dict[str, Any]]]]) -> dict[str, Any]:
    """A batch as the script's folders take it."""
    registered = {
        name: ref.get("stream") or ref["table"] for name, ref in json.loads(case.document)["sources"].items()
    }
    return {name: records_of(case.contracts[registered[name]], rows) for name, rows in batch.items()}


def rows_of(case: Case, output: str, content: dict[str, Any]) -> list[dict[str, Any]]:
    """The expected rows as JSON.

    They have no types: a zero for a missing double gets its type from the plan.
    """
    doubles = {
        field.name for field in plan_of(case).relation(case.outputs[output]).schema if field.type == DOUBLE
    }
    shown = map(as_json, content.values())
    return [
        {name: float(value) if name in doubles and value == 0 else value for name, value in row.items()}
        for row in shown
    ]


def compared(rows: list[dict[str, Any]], expected: list[dict[str, Any]], case: Case) -> list[str]:
    """What differs. A script gives no identities: rows are compared as a bag, in an order of their own."""
    expected_rows, found = sorted(expected, key=canonical), sorted(rows, key=canonical)
    return differences(numbered(expected_rows), numbered(found), case.approximate)


def numbered(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(at): row for at, row in enumerate(rows)}


def canonical(row: dict[str, Any]) -> str:
    return json.dumps([f"{value:.6g}" if isinstance(value, float) else value for value in row.values()])
