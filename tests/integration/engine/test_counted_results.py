"""What a query counts about its results, as Spark's progress carries it.

See `docs/semantics/aggregate.md#measures` and `docs/reference/problems.md`.
"""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.engine.observation import separated
from jobs.engine.observed_metrics import LIMITS
from tests.support.plan_helpers import contract
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000


@pytest.mark.parametrize("change", [False, True])
def test_results_whose_measure_passed_its_limit(spark: SparkSession, tmp_path: Path, *, change: bool) -> None:
    steps = {
        "sets": {
            "op": "aggregate",
            "input": "s",
            "window": {"tumbling": {"size": "10s"}},
            "by": ["k"],
            "measures": {"few": "distinct(x, limit = 2)", "none": "sum(x) where x > 9", "n": "count()"},
        },
        **({"changes": {"op": "change", "input": "sets", "of": ["n"]}} if change else {}),
    }
    written = {
        "format": 1,
        "name": "limits",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    played = SparkDocument(
        spark,
        tmp_path / "played",
        json.loads(json.dumps(written)),
        {"s": contract({"k": "string", "x": "int"}).model_dump(mode="json")},
    )
    try:
        for batch in ([("a", 1), ("a", 2), ("b", 1)], [("a", 3), ("b", 1)], [("b", 1)]):
            played.batch({"s": [(AT, {"k": k, "x": x}) for k, x in batch]})
    finally:
        played.stop()
    counted = [separated(progress)[f"{LIMITS}{list(steps)[-1]}"] for progress in played.progress]
    assert [metric[0] for metric in counted] == [0, 1, 0]
