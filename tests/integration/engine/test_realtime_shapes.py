"""Spark runs the documents in real-time mode of which the plan says that it does, and refuses the others.

See `docs/semantics/queries-and-modes.md#modes`.
"""

from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.plan import plan_job
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
FIELDS = {"k": "string", "x": "int"}
CONTRACTS = {
    "a": contract(FIELDS),
    "b": contract(FIELDS),
    "t": contract(FIELDS, kind="table", key=["k"]),
    "u": contract(FIELDS, kind="table", key=["k"]),
}


def first(of: str) -> dict[str, Any]:
    return {"op": "deduplicate", "input": of, "by": ["k"], "within": "exact"}


def count(of: str) -> dict[str, Any]:
    return {"op": "aggregate", "input": of, "by": ["k"], "measures": {"n": "count()"}}


def enriched(of: str, table: str = "t", **more: Any) -> dict[str, Any]:
    step = {"op": "table_join", "input": of, "table": table, "type": "left", "on": {"k": "k"}}
    return {**step, "prefix": f"{table}_", **more}


def union(*of: str) -> dict[str, Any]:
    return {"op": "union", "inputs": list(of)}


def kept(of: str) -> dict[str, Any]:
    return {"op": "filter", "input": of, "where": "x > 0"}


ALLOWED: dict[str, dict[str, Any]] = {
    "counts": {"n": count("a")},
    "counts of a union": {"both": union("a", "b"), "n": count("both")},
    "first rows, counted": {"one": first("a"), "n": count("one")},
    "enriched, counted": {"more": enriched("a"), "n": count("more")},
    "a union, enriched": {"both": union("a", "b"), "more": enriched("both")},
    "enriched in memory, in a union": {"more": enriched("a", broadcast={}), "out": union("more", "b")},
    "enriched in memory behind state": {"one": first("a"), "more": enriched("one", broadcast={})},
    "enriched in memory, then by a changing table": {
        "more": enriched("a", broadcast={}),
        "most": enriched("more", "u"),
    },
}
REFUSED: dict[str, dict[str, Any]] = {
    "first rows in a union": {"one": first("a"), "out": union("one", "b")},
    "enriched rows in a union": {"more": enriched("a"), "out": union("more", "b")},
    "first rows, enriched": {"one": first("a"), "more": enriched("one")},
    "enriched twice": {"more": enriched("a"), "most": enriched("more", "u")},
}
# Steps, and the ends of their two outputs.
ALLOWED_SIDE_BY_SIDE = {"two streams": {"one": kept("a"), "other": kept("b")}}
REFUSED_SIDE_BY_SIDE = {
    "counts beside rows": {"n": count("a"), "other": kept("b")},
    "counts beside counts": {"n": count("a"), "m": count("b")},
}
EACH = [
    *(pytest.param(steps, 1, True, marks=pytest.mark.long, id=name) for name, steps in ALLOWED.items()),
    *(pytest.param(steps, 1, False, id=name) for name, steps in REFUSED.items()),
    *(pytest.param(steps, 2, True, id=name) for name, steps in ALLOWED_SIDE_BY_SIDE.items()),
    *(pytest.param(steps, 2, False, id=name) for name, steps in REFUSED_SIDE_BY_SIDE.items()),
]


def document(steps: dict[str, Any], outputs: int) -> dict[str, Any]:
    read = {
        name
        for step in steps.values()
        for name in (step.get("input"), step.get("table"), *step.get("inputs", ()))
        if name in CONTRACTS
    }
    return {
        "format": 1,
        "name": "shape",
        "sources": {name: {"table" if name in "tu" else "stream": name} for name in sorted(read)},
        "steps": steps,
        "outputs": {
            f"out{at}": {"input": end, "to": {"topic": f"o{at}"} if at else "result"}
            for at, end in enumerate([*steps][-outputs:])
        },
    }


@pytest.mark.parametrize(("steps", "outputs", "allowed"), EACH)
def test_what_the_plan_allows(
    spark: SparkSession, bench: Bench, steps: dict[str, Any], outputs: int, *, allowed: bool
) -> None:
    written = document(steps, outputs)
    plan = plan_job(written, CONTRACTS)
    assert plan.ok
    assert (plan.mode.mode == "realtime") is allowed, plan.mode.reasons
    topics = {name: (bench.topic("in"), CONTRACTS[name]) for name in written["sources"]}
    others = {f"out{at}": bench.topic("out") for at in range(1, outputs)}
    run = bench.run(written, topics, "realtime", topics=others)
    listener = ProgressListener(lambda text: None, lambda: None)
    if not allowed:
        with pytest.raises(PySparkException, match="STATEFUL_OPERATORS_BEFORE_UNION_NOT_SUPPORTED"):
            start_query(spark, run, plan_of(run), bench.home, listener)
        return
    query = start_query(spark, run, plan_of(run), bench.home, listener)
    results = bench.results(run)
    try:
        bench.produce(topics["a"][0], [(AT, {"k": "a", "x": 1})])
        wait_until(lambda: results.read() or not query.isActive, 120, "a row came out")
        assert query.exception() is None
    finally:
        query.stop()
        results.close()
