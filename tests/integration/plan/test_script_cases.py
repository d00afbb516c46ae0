"""Rendered scripts on Spark: every golden case that a script can say gives the contract's answer when it is run over all rows at once."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from jobs.plan.render import Script, render
from tests.oracle.cases import Case, differences, load_cases
from tests.oracle.script import scripted
from tests.oracle.values import as_json, iso
from tests.support.planned import contract, document

pytestmark = [pytest.mark.integration, pytest.mark.long]


def script_of(case: Case) -> Script:
    return render(plan_job(case.document, {name: StreamContract.model_validate(given) for name, given in case.contracts.items()}))


CASES = [case for case in load_cases() if not script_of(case).refusals]


def test_scripts_cover_the_steps() -> None:
    written = {step["op"] for case in CASES for step in json.loads(case.document)["steps"].values()}
    assert {"filter", "derive", "select", "explode", "split", "union", "aggregate", "deduplicate", "latest", "join"} <= written


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    read = {name: [record for batch in case.batches for record in batch.get(name, [])] for name in json.loads(case.document)["sources"]}
    expected = scripted(case.document, case.contracts, [read, {}])[0][-1]
    rows = run(spark, tmp_path, script_of(case).text, read)
    # A script gives no identities: rows are compared as a bag, in an order of their own.
    wanted = sorted(map(as_json, next(iter(expected.values())).values()), key=canonical)
    found = sorted(rows, key=canonical)
    assert differences(numbered(wanted), numbered(found), case.approximate) == []


@pytest.mark.parametrize("measured", ["sum(x)", "count()"], ids=["a field is read", "no field is read"])
def test_malformed_records_are_left_out(spark: SparkSession, tmp_path: Path, measured: str) -> None:
    plan = plan_job(document({"n": {"op": "aggregate", "input": "s", "measures": {"n": measured}}}), {"s": contract({"x": "int"})})
    script = render(plan)
    assert script.refusals == ()
    values: list[Any] = [{"x": 1}, {"x": 2}, {}, [1], "text", 7, None, *([{"x": "many"}] if "x" in measured else [])]
    assert run(spark, tmp_path, script.text, {"s": [(0, value) for value in values]})[-1] == {"n": 3}


def numbered(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(at): row for at, row in enumerate(rows)}


def canonical(row: dict[str, Any]) -> str:
    return json.dumps([f"{value:.6g}" if isinstance(value, float) else value for value in row.values()])


def run(spark: SparkSession, folder: Path, script: str, read: dict[str, list[tuple[int, Any]]]) -> list[dict[str, Any]]:
    """What the script's own functions give over folders of records, until all is read and closed."""
    parts: dict[str, Any] = {"__name__": "weir_script"}
    exec(compile(script, "script.py", "exec"), parts)
    for name, records in read.items():
        place = folder / name
        place.mkdir()
        lines = [
            {"append_time": iso(at), "partition": 0, "offset": offset, "value": json.dumps(value)}
            for offset, (at, value) in enumerate(records)
        ]
        (place / "part.json").write_text("".join(json.dumps(line) + "\n" for line in lines) or "\n")
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    parts["configure"](session)
    out: list[dict[str, Any]] = []

    def keep(batch: DataFrame, number: int) -> None:
        text = F.to_json(F.struct("*"), {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"})
        out.extend(json.loads(row[0]) for row in batch.select(text).collect())

    frame = parts["build"](session, argparse.Namespace(bootstrap=None, places=[f"{name}={folder / name}" for name in read]))
    writing = frame.writeStream.outputMode(parts["MODE"]).foreachBatch(keep).option("checkpointLocation", str(folder / "checkpoint"))
    writing.trigger(availableNow=True).start().awaitTermination()
    return out
