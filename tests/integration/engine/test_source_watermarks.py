"""How far each source alone moves the watermark, beside what Spark makes of all of them.

See `docs/semantics/watermarks-and-lateness.md`.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.progress import BatchProgress, read_progress
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

BEGIN_US = 1_767_261_600_000_000
DELAYS_S = {"fast": 1, "slow": 30}


def at(seconds: float) -> int:
    return BEGIN_US + round(seconds * 1e6)


@pytest.mark.parametrize("policy", [min, max])
def test_spark_makes_its_watermark_of_what_is_told_of_the_sources(
    spark: SparkSession, tmp_path: Path, *, policy: Any
) -> None:
    contracts = {name: contract({"x": "int"}, delay=f"{delay}s") for name, delay in DELAYS_S.items()}
    document = {
        "format": 1,
        "name": "watermarks",
        "settings": {"watermark": policy.__name__},
        "sources": {name: {"stream": name} for name in contracts},
        "steps": {
            "both": {"op": "union", "inputs": list(contracts)},
            "n": {
                "op": "aggregate",
                "input": "both",
                "window": {"tumbling": {"size": "10s"}},
                "measures": {"n": "count()"},
            },
        },
        "outputs": {"out": {"input": "n", "to": "result"}},
    }
    played = SparkDocument(
        spark, tmp_path / "played", document, {n: c.model_dump(mode="json") for n, c in contracts.items()}
    )
    batches = [
        {"fast": [100.0004], "slow": [131]},
        {"fast": [200, 150], "slow": []},
        {"fast": [], "slow": [90, 240]},
        {"fast": [300], "slow": [400]},
    ]
    try:
        for batch in batches:
            played.batch({name: [(at(s), {"x": 1}) for s in seconds] for name, seconds in batch.items()})
    finally:
        played.stop()
    told = [_told(progress) for progress in played.progress]
    assert [one.source_watermarks_us for one in told] == [
        {"fast": at(99), "slow": at(101)},  # floored to milliseconds
        {"fast": at(199)},
        {"slow": at(210)},
        {"fast": at(299), "slow": at(370)},
    ]
    so_far: dict[str, int] = {}
    for one, following in pairwise(told):
        for source, mark in one.source_watermarks_us.items():
            so_far[source] = max(mark, so_far.get(source, mark))
        assert following.watermark_us == policy(so_far.values())


def _told(progress: Any) -> BatchProgress:
    without_positions = {**progress, "sources": []}
    return read_progress(json.dumps(without_positions, default=str), desired_run({}))
