"""Rows by node, and state by step, as a run reports them."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.observation import separated
from jobs.engine.progress import read_progress
from jobs.engine.run_supervisor import RunSupervisor
from jobs.engine.step_progress import StepProgress
from jobs.kafka_messages import ProgressReport, RunMode
from jobs.plan import plan_job
from tests.support.desired_runs import desired_run, engine_settings
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.recording_reporter import RecordingReporter
from tests.support.spark_document import SparkDocument
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
FIELDS = {"k": "string", "n": "int", "tags": "array<string>"}
WINDOW = {"tumbling": {"size": "10s"}}
RESULT = {"input": "last", "to": "result"}


def played(
    spark: SparkSession, folder: Path, steps: dict[str, Any], outputs: dict[str, Any] | None = None
) -> tuple[SparkDocument, dict[str, Any]]:
    """Twenty rows, n from 0, of five keys, with two tags each; and the newest state of each step."""
    document = {
        "format": 1,
        "name": "counts",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": outputs or {"out": RESULT},
    }
    contracts = {"s": contract(FIELDS)}
    found = SparkDocument(
        spark, folder, document, {"s": contracts["s"].model_dump(mode="json")}, compiled=False
    )
    rows = [(AT + n * 1_000_000, {"k": f"k{n % 5}", "n": n, "tags": ["a", f"t{n % 2}"]}) for n in range(20)]
    try:
        found.batch({"s": rows[:10]})
        found.batch({"s": rows[10:]})
    finally:
        found.stop()
    plan = plan_job(document, contracts)
    (query,) = plan.queries
    progress = json.loads(found.progress[-1].json)
    return found, StepProgress(plan.for_query(query)).states(progress["stateOperators"], separated(progress))


def test_steps_without_state_are_known_where_something_else_counts_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Rows in which an error may become null are counted before `more`; the last filter is what was written.
    Nothing tells the first filter's rows.
    """
    found, _ = played(
        spark,
        tmp_path / "case",
        {
            "some": {"op": "filter", "input": "s", "where": "n >= 4"},
            "each": {"op": "explode", "input": "some", "field": "tags", "as": "tag"},
            "more": {"op": "derive", "input": "each", "fields": {"m": "n * 2"}},
            "last": {"op": "filter", "input": "more", "where": "tag = 't1'"},
        },
    )
    assert found.given == {"s": 20, "each": 32, "more": 32, "last": 8}


def test_several_outputs_in_one_pass_behind_state(spark: SparkSession, tmp_path: Path) -> None:
    found, _ = played(
        spark,
        tmp_path / "case",
        {
            "once": {"op": "deduplicate", "input": "s", "by": ["n"], "within": "exact"},
            "ways": {"op": "branch", "input": "once", "branches": {"low": "n < 7"}, "rest": "high"},
            "few": {"op": "filter", "input": "ways.high", "where": "n >= 18"},
        },
        {
            "low": {"input": "ways.low", "to": "result"},
            "few": {"input": "few", "to": {"topic": "few"}},
        },
    )
    assert found.given == {"s": 20, "once": 20, "ways.low": 7, "ways.high": 13, "few": 2}


def test_states_are_those_of_their_steps(spark: SparkSession, tmp_path: Path) -> None:
    """Steps of one kind side by side and behind each other, which keep different numbers of rows."""
    found, states = played(
        spark,
        tmp_path / "case",
        {
            "by_key": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"rows": "count()"}},
            "by_parity": {
                "op": "aggregate",
                "input": "s",
                "by": {"p": "n % 2"},
                "measures": {"rows": "count()"},
            },
        },
        {
            "keys": {"input": "by_key", "to": "result"},
            "parities": {"input": "by_parity", "to": {"topic": "parities"}},
        },
    )
    assert {step: state.rows for step, state in states.items()} == {"by_key": 5, "by_parity": 2}
    assert found.given == {"s": 20, "by_key": 10, "by_parity": 4}
    assert all(state.bytes > 0 and state.late == 0 for state in states.values())
    told = [json.loads(one.json) | {"sources": []} for one in found.progress]
    read = [read_progress(json.dumps(one), desired_run({})).rows_in for one in told]
    assert sum(read) == 20, "each record is one, although each output reads it"
    assert sum(one["numInputRows"] for one in told) == 40


def test_states_behind_each_other(spark: SparkSession, tmp_path: Path) -> None:
    _, states = played(
        spark,
        tmp_path / "case",
        {
            "once": {"op": "deduplicate", "input": "s", "by": ["n"], "within": "1h"},
            "counted": {
                "op": "aggregate",
                "input": "once",
                "window": {"tumbling": {"size": "1h"}},
                "by": ["k"],
                "measures": {"rows": "count()"},
                "emit": "final",
            },
            "last": {"op": "filter", "input": "counted", "where": "rows > 0"},
        },
    )
    assert {step: state.rows for step, state in states.items()} == {"once": 20, "counted": 5}


@pytest.mark.parametrize("mode", ["microbatch", "realtime"])
def test_a_run_reports_rows_and_states(spark: SparkSession, bench: Bench, mode: RunMode) -> None:
    document = {
        "format": 1,
        "name": "counts",
        "sources": {"s": {"stream": "s"}},
        "steps": {
            "counted": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"rows": "count()"}},
            "last": {"op": "filter", "input": "counted", "where": "rows > 0"},
        },
        "outputs": {"out": RESULT},
    }
    topic = bench.topic("in")
    run = bench.run(document, {"s": (topic, contract({"k": "string"}))}, mode=mode, commit_interval_ms=5_000)
    settings = engine_settings(bench.home, bench.folder)
    reporter = RecordingReporter(settings)
    supervisor = RunSupervisor(run, spark, settings, reporter, KafkaAdmins(), open_gate())
    supervisor.start()

    def given(reference: str) -> int:
        reports = [report for report in list(reporter.sent) if isinstance(report, ProgressReport)]
        return sum(report.given.get(reference, 0) for report in reports)

    try:
        bench.produce(topic, [(AT + n, {"k": f"k{n % 5}"}) for n in range(20)])
        wait_until(lambda: given("s") == 20, 120, "all rows were reported")
        wait_until(lambda: given("counted") == given("last") >= 5, 60, "results were reported")
    finally:
        supervisor.stop()
        assert supervisor.join(60)
    reports = [report for report in reporter.sent if isinstance(report, ProgressReport)]
    kept = [report.steps["counted"].rows for report in reports if "counted" in report.steps]
    assert kept[-1:] == [5]
