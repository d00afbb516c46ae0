"""latest with a time to live behind a join of streams, batch by batch and each after a restart (`semantics.md` 4.18)."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.plan import plan_job
from tests.support.planned import contract
from tests.support.scripted_plan import Record, ScriptedPlan

pytestmark = [pytest.mark.integration, pytest.mark.long]

S = 1_000_000


def row(seconds: float, k: str, x: int) -> Record:
    return round(seconds * S), {"k": k, "x": x}


def test_keys_of_pairs_are_taken_away(spark: SparkSession, tmp_path: Path) -> None:
    """A pair has the later time; its place in row order is made of both identities."""
    document: dict[str, Any] = {
        "format": 1,
        "name": "pairs",
        "sources": {"a": {"stream": "a"}, "b": {"stream": "b"}},
        "steps": {
            "pairs": {
                "op": "join",
                "left": "a",
                "right": "b",
                "on": {"k": "k"},
                "between": {"before": "1s", "after": "1s"},
                "prefix": "b_",
            },
            "newest": {"op": "latest", "input": "pairs", "by": ["k"], "ttl": "10s"},
        },
        "outputs": {"out": {"input": "newest", "to": "result"}},
    }
    stream = contract({"k": "string", "x": "int"}, delay="0s")
    plan = plan_job(document, {"a": stream, "b": stream})
    assert plan.ok, plan.problems
    assert plan.relation("pairs").lag.us == S
    query = ScriptedPlan(spark, tmp_path / "script", plan)

    def pairs(out: list[Any]) -> dict[str, tuple[int, int] | None]:
        return {identity: (found["x"], found["b_x"]) if found else None for _, identity, found in out}

    first = {"a": [row(5, "p", 1), row(5, "p", 2), row(5, "q", 1)], "b": [row(5, "p", 3), row(4.5, "p", 4), row(6, "q", 5)]}
    assert pairs(query.batch(first)) == {'["p"]': (2, 4), '["q"]': (1, 5)}
    assert pairs(query.batch({"a": [row(16, "r", 1)], "b": [row(16, "r", 1)]})) == {'["r"]': (1, 1)}
    # p is due when the watermark is at 5 + 10 + the join's second.
    assert pairs(query.batch({"a": [row(17, "x", 1)], "b": [row(17, "y", 1)]})) == {'["p"]': None}
    assert pairs(query.batch({})) == {'["q"]': None}
