"""Edits that are judged to keep the state do so on Spark.

The edited job goes on from the old checkpoint, to the right content.

For edits that change no answer that is the oracle's for the new document over all records, for others what
the case says.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from jobs.plan import diff, plan_job
from tests.oracle.answers import Batch, scripted
from tests.oracle.values import as_json
from tests.support.spark_document import SparkDocument

pytestmark = pytest.mark.integration

FIELDS = [
    {"name": name, "type": type_, "nullable": True} for name, type_ in {"k": "string", "x": "int"}.items()
]
CONTRACTS = {name: {"fields": FIELDS, "delay": "1s"} for name in ("s", "r")}
START = 1_767_261_600_000_000

TUMBLING = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()", "sum": "sum(x)"},
}
SLIDING = {**TUMBLING, "window": {"sliding": {"size": "10s"}}}
MEANS = {**SLIDING, "measures": {"n": "count()", "mean": "avg(x)", "most": "max(x)"}}
KEPT = {"op": "filter", "input": "s", "where": "x > 0"}
JOIN = {
    "op": "join",
    "left": "s",
    "right": "r",
    "on": {"k": "k"},
    "between": {"before": "5s", "after": "5s"},
    "prefix": "r_",
}
WORDS = {"d": {"op": "derive", "input": "s", "fields": {"y": "k"}}}
MOST = {"op": "filter", "where": "x > -100"}
SPLIT = {"op": "split", "field": "y"}
BOTH = {"op": "select", "fields": ["k", "x"]}
FIRST = {**TUMBLING, "measures": {"n": "count()", "sum": "first(x)"}}
TWICE = {
    "one": KEPT,
    "other": {**KEPT, "where": "x > 1"},
    "both": {"op": "union", "inputs": ["one", "other"]},
}
SWAPPED = {**TWICE, "both": {"op": "union", "inputs": ["other", "one"]}}
RESULT = {"out": {"input": "step", "to": "result"}}

MORE = {**RESULT, "more": {"input": "kept", "to": {"topic": "more"}}}
MANY = {"op": "filter", "input": "step", "where": "n > 1"}
WINDOW = '["2026-01-01T10:00:{}.000000Z","2026-01-01T10:00:{}.000000Z","{}"]'

Steps = dict[str, Any]


@dataclass(frozen=True)
class Edit:
    """A running job and what it becomes after the second batch.

    Attributes:
        old, new: steps.
        outputs: of both; of the new one where it has others.
        compared: the output whose content is compared.
        expected: that content by identity where it is not the oracle's for the new document.
        contracts: of the new one where they are others; its content is then the oracle's for the old one.
    """

    title: str
    old: Steps
    new: Steps
    outputs: Steps = field(default_factory=lambda: RESULT)
    new_outputs: Steps | None = None
    compared: str = "out"
    expected: dict[str, Any] | None = None
    contracts: dict[str, Any] = field(default_factory=lambda: CONTRACTS)


def over(name: str, **step: Any) -> Steps:
    return {**step, "input": name}


def twice(step: Steps, name: str) -> Steps:
    """The step under a name, then one that gives a field of it another name."""
    return {name: step, "step": over(name, op="rename", fields={"n": "m"})}


def declared(*fields: dict[str, Any]) -> dict[str, Any]:
    """Contracts of the same records, of which more or less is said."""
    return {name: {"fields": [*fields], "delay": "1s"} for name in CONTRACTS}


K, X = FIELDS
MORE_FIELDS = declared(X, {"name": "more", "type": "array<string>"}, {**K, "nullable": False})
RENAMED = declared(K, {"name": "amount", "type": "int", "path": ["x"]})
AMOUNTS = {**TUMBLING, "measures": {"n": "count()", "sum": "sum(amount)"}}

EDITS = (
    Edit(
        "a contract of more fields, in another order",
        {"step": TUMBLING},
        {"step": TUMBLING},
        contracts=MORE_FIELDS,
    ),
    Edit(
        "a contract of more fields than a sliding window keeps",
        {"d": over("s", **BOTH), "step": over("d", **SLIDING)},
        {"d": over("s", **BOTH), "step": over("d", **SLIDING)},
        contracts=MORE_FIELDS,
    ),
    Edit(
        "a contract of more fields than a join keeps",
        {"l": over("s", **BOTH), "m": over("r", **BOTH), "step": {**JOIN, "left": "l", "right": "m"}},
        {"l": over("s", **BOTH), "m": over("r", **BOTH), "step": {**JOIN, "left": "l", "right": "m"}},
        contracts=MORE_FIELDS,
    ),
    Edit("a contract that calls a field otherwise", {"step": TUMBLING}, {"step": AMOUNTS}, contracts=RENAMED),
    Edit(
        "a filter above the state",
        {"f": KEPT, "step": over("f", **TUMBLING)},
        {"f": {**KEPT, "where": "x > 2"}, "step": over("f", **TUMBLING)},
        expected={
            WINDOW.format("00", "10", "a"): {"n": 3, "sum": 8},
            WINDOW.format("00", "10", "b"): {"n": 1, "sum": 2},
            WINDOW.format("20", "30", "a"): {"n": 1, "sum": 7},
        },
    ),
    Edit("another name of the step", twice(TUMBLING, "old"), twice(TUMBLING, "new")),
    Edit(
        "one step more behind the state",
        {"step": TUMBLING},
        {"sums": TUMBLING, "step": over("sums", op="derive", fields={"m": "n"})},
    ),
    Edit(
        "one topic more of what is shown", {"step": TUMBLING}, {"step": TUMBLING, "kept": MANY}, RESULT, MORE
    ),
    Edit(
        "one topic less of what is shown", {"step": TUMBLING, "kept": MANY}, {"step": TUMBLING}, MORE, RESULT
    ),
    Edit("prefix and time of a join", {"step": JOIN}, {"step": {**JOIN, "prefix": "other_", "time": "left"}}),
    Edit(
        "a field that no state keeps",
        {"d": over("s", op="derive", fields={"y": "x"}), "step": over("d", **TUMBLING)},
        {"step": TUMBLING},
    ),
    Edit(
        "a field that no row of a sliding window keeps",
        {"d": over("s", op="derive", fields={"a": "x"}), "step": over("d", **SLIDING)},
        {"step": SLIDING},
    ),
    Edit(
        "another order of the fields of a sliding window's rows",
        {"d": over("s", op="select", fields=["x", "k"]), "step": over("d", **SLIDING)},
        {"d": over("s", op="select", fields=["k", "x"]), "step": over("d", **SLIDING)},
    ),
    Edit(
        "another order of the fields of a later step, behind a sliding window",
        {"means": MEANS, "step": over("means", op="select", fields=["k", "n", "mean"])},
        {"means": MEANS, "step": over("means", op="select", fields=["k", "mean", "n"])},
    ),
    Edit(
        "rows that are taken apart above a measure of the first, which begins empty",
        {**WORDS, "g": over("d", **MOST), "f": over("g", **BOTH), "step": over("f", **FIRST)},
        {**WORDS, "g": over("d", **SPLIT), "f": over("g", **BOTH), "step": over("f", **FIRST)},
        expected={
            WINDOW.format("00", "10", "a"): {"n": 3, "sum": 4},
            WINDOW.format("00", "10", "b"): {"n": 3, "sum": 1},
            WINDOW.format("20", "30", "a"): {"n": 2, "sum": 7},
        },
    ),
    Edit(
        "another order of a union's inputs before a sliding window",
        {**TWICE, "step": over("both", **SLIDING)},
        {**SWAPPED, "step": over("both", **SLIDING)},
    ),
    Edit(
        "another order of a union's inputs before a join",
        {**TWICE, "step": {**JOIN, "left": "both"}},
        {**SWAPPED, "step": {**JOIN, "left": "both"}},
    ),
    Edit(
        "another order of a union's inputs above a measure of the first, which begins empty",
        {**TWICE, "step": over("both", **FIRST)},
        {**SWAPPED, "step": over("both", **FIRST)},
        expected={
            WINDOW.format("00", "10", "a"): {"n": 5, "sum": 4},
            WINDOW.format("00", "10", "b"): {"n": 3, "sum": 1},
            WINDOW.format("20", "30", "a"): {"n": 2, "sum": 7},
        },
    ),
)

BATCHES: list[Batch] = [
    {"s": [(0, {"k": "a", "x": 1}), (1, {"k": "b", "x": 2})], "r": [(1, {"k": "a", "x": 5})]},
    {"s": [(2, {"k": "a", "x": 3}), (3, {"k": "b", "x": -1})], "r": [(3, {"k": "b", "x": 6})]},
    {"s": [(4, {"k": "a", "x": 4}), (5, {"k": "b", "x": 1})], "r": [(4, {"k": "a", "x": 7})]},
    {"s": [(25, {"k": "a", "x": 7})], "r": [(26, {"k": "a", "x": 8})]},
    {"s": [(26, {"k": "a", "x": 0})], "r": [(26, {"k": "c", "x": 8})]},
]  # fmt: skip


def document(steps: Steps, outputs: Steps) -> dict[str, Any]:
    sources = {
        name: {"stream": name}
        for name in ("s", "r")
        if name == "s" or any(step["op"] == "join" for step in steps.values())
    }
    return {"format": 1, "name": "edited", "sources": sources, "steps": steps, "outputs": outputs}


def batches(sources: Steps) -> list[Batch]:
    def timed(rows: Any) -> Any:
        return [(START + at * 1_000_000, row) for at, row in rows]

    return [{name: timed(rows) for name, rows in batch.items() if name in sources} for batch in BATCHES]


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("edit", EDITS, ids=[edit.title for edit in EDITS])
def test_the_state_is_kept(spark: SparkSession, tmp_path: Path, edit: Edit) -> None:
    old, new = document(edit.old, edit.outputs), document(edit.new, edit.new_outputs or edit.outputs)
    before, now = (validated(contracts, old["sources"]) for contracts in (CONTRACTS, edit.contracts))
    assert diff(plan_job(old, before), plan_job(new, now)).outcome == "same_state"
    all_batches = batches(new["sources"])
    played = SparkDocument(spark, tmp_path / "played", old, CONTRACTS, restarts=True)
    try:
        for number, batch in enumerate(all_batches):
            if number == 2:
                played.become(new, edit.contracts)
            after = played.batch(batch)
    finally:
        played.stop()
    expected = edit.expected
    if expected is None:
        like = new if edit.contracts is CONTRACTS else old
        contents, _ = scripted(json.dumps(like), CONTRACTS, all_batches)
        expected = {key: as_json(row) for key, row in contents[-1][edit.compared].items()}
    # What was written before the edit keeps its form, so fields that only one of the documents gives are left
    # out.
    shown = after[edit.compared]
    common = set.intersection(*(set(row) for row in (*expected.values(), *shown.values())))
    assert common > {"k"} or common == {"n", "sum"}
    assert _cut(shown, common) == _cut(expected, common)


def validated(contracts: dict[str, Any], sources: Steps) -> dict[str, StreamContract]:
    return {name: StreamContract.model_validate(contracts[name]) for name in sources}


def _cut(content: dict[str, Any], fields: set[str]) -> dict[str, Any]:
    return {key: {name: row[name] for name in sorted(fields)} for key, row in content.items()}
