"""Measures that are approximate above a size: their bounds, over several batches whose states are merged.

See `docs/semantics/aggregate.md#measures`.
"""

import json
import math
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.support.plan_helpers import contract
from tests.support.spark_document import SparkDocument

pytestmark = [pytest.mark.integration, pytest.mark.long]

AT = 1_767_261_600_000_000
BATCHES = 3
HEAVY = {"a": 900, "b": 700, "c": 500, "d": 300}  # times that a frequent word comes, in all
LIGHT = 3_000  # words that come once
ITEMS = 50  # values that top_values may hold, far fewer than there are
MEASURES = {
    "words": "approx_distinct(word)",
    "numbers": "approx_distinct(x, error = 0.1)",
    "median": "approx_percentile(x, 0.5)",
    "high": "approx_percentile(x, 0.99, accuracy = 100)",
    "often": f"top_values(word, 3, items = {ITEMS})",
}


def records() -> list[dict[str, object]]:
    """Words in a fixed disorder, each with a number; every hundredth number is null."""
    words = [word for word, times in HEAVY.items() for _ in range(times)] + [f"w{n}" for n in range(LIGHT)]
    mixed = sorted(range(len(words)), key=lambda n: n * 7_919 % 10_007)
    return [{"word": words[n], "x": None if n % 100 == 0 else (n * 31) % 4_001} for n in mixed]


def test_approximations_keep_their_bounds(spark: SparkSession, tmp_path: Path) -> None:
    document = {
        "format": 1,
        "name": "approximate",
        "sources": {"s": {"stream": "s"}},
        "steps": {"m": {"op": "aggregate", "input": "s", "by": [], "measures": MEASURES}},
        "outputs": {"out": {"input": "m", "to": "result"}},
    }
    rows = records()
    share = -(-len(rows) // BATCHES)
    contracts = {"s": contract({"word": "string", "x": "int"}).model_dump(mode="json")}
    played = SparkDocument(spark, tmp_path / "played", json.loads(json.dumps(document)), contracts)
    try:
        for batch in range(BATCHES):
            read = rows[: (batch + 1) * share]
            contents = played.batch({"s": [(AT, row) for row in read[batch * share :]]})
            check(contents["out"]["[]"], read)
    finally:
        played.stop()


def check(result: dict[str, object], read: list[dict[str, object]]) -> None:
    words = [str(row["word"]) for row in read]
    numbers = sorted(int(str(row["x"])) for row in read if row["x"] is not None)
    assert within(result["words"], len(set(words)), 0.02)
    assert within(result["numbers"], len(set(numbers)), 0.1)
    assert ranked(result["median"], numbers, 0.5, 1_000)
    assert ranked(result["high"], numbers, 0.99, 100)
    # Frequent values: a sketch of `size` counters is off by at most 3.5 · rows / size, less than the distance
    # here.
    size = 2 ** math.ceil(math.log2(ITEMS / 0.75))
    often = result["often"]
    assert isinstance(often, list)
    found = {entry["value"]: entry["count"] for entry in often}
    assert list(found) == sorted(found, key=lambda word: (-found[word], word))
    for word, count in found.items():
        assert abs(count - words.count(word)) <= 3.5 * len(words) / size, word
    least = max(words.count(word) for word in HEAVY if word not in found)
    assert all(words.count(word) >= least - 2 * 3.5 * len(words) / size for word in found)


def within(found: object, true: int, error: float) -> bool:
    assert isinstance(found, int)
    return abs(found - true) <= max(2, 4 * error * true)


def ranked(found: object, numbers: list[int], p: float, accuracy: int) -> bool:
    """A value of the group whose rank differs from ⌈p·n⌉ by at most n / accuracy, at least 1."""
    assert isinstance(found, int)
    ranks = [rank for rank, number in enumerate(numbers, 1) if number == found]
    expected_rank = math.ceil(p * len(numbers))
    return any(abs(rank - expected_rank) <= max(1, len(numbers) / accuracy) for rank in ranks)
