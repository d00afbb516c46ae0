"""What counting the rows of each step would cost: processor time of jobs without state with a count behind
every step, and as they run, which is without counts of their own.

Records, settings and sink are those of `bench.operators`. Both sides of a job run in turn, in one Spark
session, so that a machine that changes its speed changes both.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from bench.operator_jobs import FIELDS
from bench.operators import _shown, _write, cpu_of, from_files
from bench.usage import Strangers
from jobs.engine.columns import column
from jobs.engine.lowering import is_final, lower_plan, output_records
from jobs.engine.rows import PRESENT, Rows
from jobs.formats.contract import StreamContract
from jobs.plan import Node, Plan, plan_job
from tests.support.spark_session import local_session

LIVE = {"input": "last", "to": "result"}
JOBS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a filter, and a field": (
        {
            "some": {"op": "filter", "input": "s", "where": "x > -400"},
            "last": {"op": "derive", "input": "some", "fields": {"z": "x * 2"}},
        },
        {"out": LIVE},
    ),
    "a filter, fields, and a filter": (
        {
            "some": {"op": "filter", "input": "s", "where": "x > -400"},
            "more": {"op": "derive", "input": "some", "fields": {"z": "x * 2"}},
            "last": {"op": "filter", "input": "more", "where": "z < 900"},
        },
        {"out": LIVE},
    ),
    "ten steps, five of them filters": (
        {
            "f1": {"op": "filter", "input": "s", "where": "x > -450"},
            "d1": {"op": "derive", "input": "f1", "fields": {"z": "x * 2"}},
            "f2": {"op": "filter", "input": "d1", "where": "z < 990"},
            "d2": {"op": "derive", "input": "f2", "fields": {"w": "y + 1"}},
            "f3": {"op": "filter", "input": "d2", "where": "w > 5"},
            "d3": {"op": "derive", "input": "f3", "fields": {"v": "w / 3"}},
            "f4": {"op": "filter", "input": "d3", "where": "v < 320"},
            "d4": {"op": "derive", "input": "f4", "fields": {"u": "upper(k)"}},
            "f5": {"op": "filter", "input": "d4", "where": "u <> 'K7'"},
            "last": {"op": "drop", "input": "f5", "fields": ["tags"]},
        },
        {"out": LIVE},
    ),
    "a branch with two outputs": (
        {
            "last": {"op": "filter", "input": "s", "where": "x > -400"},
            "ways": {"op": "branch", "input": "last", "branches": {"high": "y > 500"}, "rest": "low"},
        },
        {
            "high": {"input": "ways.high", "to": "result"},
            "low": {"input": "ways.low", "to": {"topic": "low"}},
        },
    ),
}


class EveryStep:
    """A count behind every step, and one for outputs of one pass (`jobs.engine.taps.Taps`)."""

    def decoded(self, source: str, records: DataFrame) -> DataFrame:  # noqa: ARG002
        return records

    def given(self, node: Node, rows: Rows) -> Rows:  # noqa: ARG002
        return rows

    def made(self, reference: str, rows: Rows) -> Rows:
        if PRESENT in rows.system:
            return rows
        return rows.observe(f"every:{reference}", column("count(1)", "rows"))

    def packed(self, root: str, frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
        counts = [
            column(f"count_if({name} IS NOT NULL)", f"n{at}") for at, name in enumerate(columns.values())
        ]
        return frame.observe(f"every:{root} and others", column("count(1)", "rows"), *counts)


def measure(folder: Path, rows: int, runs: int) -> dict[str, Any]:
    """Measure every job.

    Args:
        folder: new, for records and checkpoints.
        rows: of the stream.
        runs: that count, of each side; two more go before them, because a JVM compiles what is used again.

    Returns:
        rows, runs, strangers (cores), and by job: plain and counted (CPU seconds, medians), and cost (share,
        median of the pairs).
    """
    strangers = Strangers(folder)
    found: dict[str, Any] = {}
    with local_session(folder) as spark:
        _write(spark, folder / "s", rows, 0, "s")
        for name in JOBS:
            found[name] = _costs(spark, folder, name, runs)
            print(f"{name}: {found[name]}", flush=True)
    return {"rows": rows, "runs": runs, "strangers": strangers.cores(), "jobs": found}


def _costs(spark: SparkSession, folder: Path, name: str, runs: int) -> dict[str, Any]:
    plan = _plan(*JOBS[name])
    pairs = []
    for number in range(runs + 2):
        sides = {}
        for counted in (False, True) if number % 2 else (True, False):
            checkpoint = folder / f"{list(JOBS).index(name)}-{number}-{counted}"
            sides[counted] = _cpu(spark, folder, plan, checkpoint, counted=counted)
        pairs.append((sides[False], sides[True]))
    kept = pairs[2:]
    return {
        "plain": round(statistics.median(plain for plain, _ in kept), 3),
        "counted": round(statistics.median(counted for _, counted in kept), 3),
        "cost": round(statistics.median(counted / plain for plain, counted in kept) - 1, 4),
    }


def _cpu(spark: SparkSession, folder: Path, plan: Plan, checkpoint: Path, *, counted: bool) -> float:
    session = spark.newSession()
    taps = EveryStep() if counted else None
    made = lower_plan(plan, {"s": from_files(session, folder, "s")}, taps=taps)
    frame = output_records(plan, made, _shown, taps)
    return cpu_of(frame, "append" if is_final(plan) else "update", checkpoint)


def _plan(steps: dict[str, Any], outputs: dict[str, Any]) -> Plan:
    fields = [{"name": name, "type": type_} for name, type_ in FIELDS.items()]
    document = {
        "format": 1,
        "name": "bench",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": outputs,
    }
    plan = plan_job(json.dumps(document), {"s": StreamContract.model_validate({"fields": fields})})
    if not plan.ok:
        raise ValueError(str(plan.problems))
    (query,) = plan.queries
    return plan.for_query(query)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--runs", type=int, default=7)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="weir-step-counts-") as made_folder:
        print(json.dumps(measure(Path(made_folder), chosen.rows, chosen.runs), indent=2))
