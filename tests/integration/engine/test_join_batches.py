"""Joins batch by batch as `semantics.md` 4.13 says, each batch after a restart: pairs, rows without a partner, and steps behind a join."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from tests.support.planned import contract
from tests.support.scripted_document import ScriptedDocument

pytestmark = pytest.mark.integration

CONTRACTS = {"left": contract({"k": "string", "x": "int"}, delay="0s"), "right": contract({"k": "string", "y": "int"}, delay="0s")}
WORKED = [
    ([("a", 100)], [("a", 101)]),
    ([("b", 100)], [("z", 105)]),
    ([("c", 120)], [("z", 106)]),
    ([("d", 130)], [("z", 126)]),
    ([("e", 140)], [("z", 140)]),
    ([], []),
]
"""The script of the contract's example 6.6."""


def document(steps: dict[str, Any], sources: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "joins",
        "sources": sources or {"l": {"stream": "left"}, "r": {"stream": "right"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }


def join(type_: str, **more: Any) -> dict[str, Any]:
    step = {"op": "join", "left": "l", "right": "r", "type": type_, "on": {"k": "k"}, "between": {"after": "5s"}, "prefix": "r_"}
    return {**step, **more}


def start(spark: SparkSession, folder: Path, steps: dict[str, Any], **more: StreamContract) -> ScriptedDocument:
    return ScriptedDocument(spark, folder / "script", document(steps), {**CONTRACTS, **more})


def names(out: dict[str, Any]) -> list[str]:
    return sorted(out)


def played(query: ScriptedDocument) -> list[list[str]]:
    """Identities after each batch of the worked example."""
    found = []
    for left, right in WORKED:
        rows = {"l": [(at, {"k": k, "x": 1}) for k, at in left], "r": [(at, {"k": k, "y": 2}) for k, at in right]}
        found.append(names(query.batch(**{name: given for name, given in rows.items() if given})))
    return found


@pytest.mark.long  # golden cases have it in every run, without restarts between the batches
@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("inner", [['[["l",0,0],["r",0,0]]'], [], [], [], [], []]),
        ("left", [['[["l",0,0],["r",0,0]]'], [], [], ['[["l",0,1],null]'], ['[["l",0,2],null]'], ['[["l",0,3],null]']]),
        ("right", [['[["l",0,0],["r",0,0]]'], [], [], ['[null,["r",0,1]]'], ['[null,["r",0,2]]'], ['[null,["r",0,3]]']]),
        ("anti", [[], [], [], ['["l",0,1]'], ['["l",0,2]'], ['["l",0,3]']]),
        ("semi", [['["l",0,0]'], [], [], [], [], []]),
    ],
)
def test_the_worked_example(spark: SparkSession, tmp_path: Path, type_: str, expected: list[list[str]]) -> None:
    assert played(start(spark, tmp_path, {"joined": join(type_)})) == expected


@pytest.mark.long
def test_a_full_join_gives_the_lonely_rows_of_both_sides(spark: SparkSession, tmp_path: Path) -> None:
    query = start(spark, tmp_path, {"joined": join("full", where="x < y")})
    assert query.batch(
        l=[(100, {"k": "a", "x": 1}), (100, {"k": None, "x": 1})], r=[(101, {"k": "a", "y": 2}), (100, {"k": "a", "y": 0})]
    ) == {'[["l",0,0],["r",0,0]]': {"k": "a", "x": 1, "r_k": "a", "y": 2}}
    query.batch(l=[(200, {"k": "z", "x": 9})], r=[(200, {"k": "z", "y": 1})])
    assert query.batch() == {
        '[["l",0,1],null]': {"k": None, "x": 1, "r_k": None, "y": None},
        '[null,["r",0,1]]': {"k": None, "x": None, "r_k": "a", "y": 0},
    }


@pytest.mark.long
def test_bounds_on_either_side_of_the_left_row(spark: SparkSession, tmp_path: Path) -> None:
    """Right rows from 3 s before to 1 s before: ends included, to the microsecond."""
    query = start(spark, tmp_path, {"joined": join("left", between={"before": "3s", "after": "-1s"})})
    right = [(100 + offset, {"k": "a", "y": n}) for n, offset in enumerate([-3.000001, -3, -1, -0.999999])]
    out = query.batch(l=[(100, {"k": "a", "x": 1})], r=right)
    assert names(out) == ['[["l",0,0],["r",0,1]]', '[["l",0,0],["r",0,2]]']
    query.batch(l=[(110, {"k": "b", "x": 1})], r=[(110, {"k": "z", "y": 1})])
    assert names(query.batch()) == ['[["l",0,1],null]']  # the watermark of 110 has passed 109


def test_a_window_behind_a_join_closes_when_the_contract_says(spark: SparkSession, tmp_path: Path) -> None:
    """Lag 5 s: the window [100, 110) closes when the watermark reaches 115, no batch earlier and none later."""
    counted = {
        "op": "aggregate",
        "input": "joined",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["k"],
        "measures": {"n": "count()", "first": "first(y)"},
        "emit": "final",
    }
    query = start(spark, tmp_path, {"joined": join("inner"), "counted": counted})
    assert query.batch(l=[(101, {"k": "a", "x": 1})], r=[(103, {"k": "a", "y": 7}), (102, {"k": "a", "y": 8})]) == {}
    assert query.batch(l=[(114.999, {"k": "z", "x": 1})], r=[(114.999, {"k": "y", "y": 1})]) == {}
    assert query.batch(l=[(115, {"k": "z", "x": 1})], r=[(115, {"k": "y", "y": 1})]) == {}
    out = query.batch()
    assert list(out.values()) == [
        {"window_start": "1970-01-01T00:01:40.000000Z", "window_end": "1970-01-01T00:01:50.000000Z", "k": "a", "n": 2, "first": 8}
    ]


@pytest.mark.long
def test_a_join_behind_a_join(spark: SparkSession, tmp_path: Path) -> None:
    """Lags add up: a row without partner in the second join waits for both bounds."""
    steps = {"first": join("inner"), "second": join("left", left="first", right="s", prefix="s_", between={"after": "2s"})}
    sources = {"l": {"stream": "left"}, "r": {"stream": "right"}, "s": {"stream": "right"}}
    query = ScriptedDocument(spark, tmp_path / "script", document(steps, sources), CONTRACTS)
    out = query.batch(
        l=[(100, {"k": "a", "x": 1}), (100, {"k": "b", "x": 2})],
        r=[(104, {"k": "a", "y": 1}), (104, {"k": "b", "y": 2})],
        s=[(106, {"k": "a", "y": 3})],
    )
    assert names(out) == ['[[["l",0,0],["r",0,0]],["s",0,0]]']
    mark = 104 + 2 + 5  # the pair's time, the second bound, the lag of the first join
    for at in (mark, mark + 0.001):
        assert query.batch(l=[(at, {"k": "z", "x": 1})], r=[(at, {"k": "y", "y": 1})], s=[(at, {"k": "x", "y": 1})]) == {}
    assert names(query.batch()) == ['[[["l",0,1],["r",0,1]],null]']


@pytest.mark.long
def test_the_times_of_pairs(spark: SparkSession, tmp_path: Path) -> None:
    shown = {"op": "select", "input": "joined", "fields": {"at": "_time"}}
    for time, expected in (("later", 103), ("left", 101), ("right", 103)):
        query = start(spark, tmp_path / time, {"joined": join("inner", time=time), "shown": shown})
        out = query.batch(l=[(101, {"k": "a", "x": 1})], r=[(103, {"k": "a", "y": 7})])
        assert out == {'[["l",0,0],["r",0,0]]': {"at": f"1970-01-01T00:01:{expected - 60}.000000Z"}}


@pytest.mark.long
def test_a_join_without_bounds_keeps_every_row(spark: SparkSession, tmp_path: Path) -> None:
    steps = {"joined": {name: value for name, value in join("inner").items() if name != "between"}}
    query = start(spark, tmp_path, steps)
    query.batch(l=[(100, {"k": "a", "x": 1})], r=[(100, {"k": "z", "y": 1})])
    query.batch(l=[(10_000, {"k": "b", "x": 1})], r=[(10_000, {"k": "z", "y": 1})])
    assert names(query.batch(r=[(10_001, {"k": "a", "y": 1})])) == ['[["l",0,0],["r",0,2]]']


@pytest.mark.long
def test_update_results_behind_an_inner_join(spark: SparkSession, tmp_path: Path) -> None:
    counted = {"op": "aggregate", "input": "joined", "window": {"tumbling": {"size": "10s"}}, "measures": {"n": "count()"}}
    query = start(spark, tmp_path, {"joined": join("inner"), "counted": counted})
    assert [row["n"] for row in query.batch(l=[(101, {"k": "a", "x": 1})], r=[(103, {"k": "a", "y": 7})]).values() if row] == [1]
    assert [row["n"] for row in query.batch(r=[(104, {"k": "a", "y": 8})]).values() if row] == [2]


@pytest.mark.long
def test_both_sides_may_come_from_one_source(spark: SparkSession, tmp_path: Path) -> None:
    steps = {
        "small": {"op": "filter", "input": "l", "where": "x < 10"},
        "great": {"op": "filter", "input": "l", "where": "x >= 10"},
        "joined": join("left", left="small", right="great"),
    }
    query = ScriptedDocument(spark, tmp_path / "script", document(steps, {"l": {"stream": "left"}}), CONTRACTS)
    out = query.batch(l=[(100, {"k": "a", "x": 1}), (101, {"k": "a", "x": 11}), (100, {"k": "b", "x": 2})])
    assert names(out) == ['[["l",0,0],["l",0,1]]']
    query.batch(l=[(106, {"k": "z", "x": 1})])
    assert names(query.batch()) == ['[["l",0,2],null]']


@pytest.mark.long
def test_final_results_behind_a_join_without_bounds(spark: SparkSession, tmp_path: Path) -> None:
    counted = {"op": "aggregate", "input": "joined", "window": {"tumbling": {"size": "10s"}}, "measures": {"n": "count()"}, "emit": "final"}
    steps = {"joined": {name: value for name, value in join("inner").items() if name != "between"}, "counted": counted}
    query = start(spark, tmp_path, steps)
    query.batch(l=[(101, {"k": "a", "x": 1})], r=[(102, {"k": "a", "y": 1})])
    query.batch(l=[(110, {"k": "b", "x": 1})], r=[(110, {"k": "z", "y": 1})])
    assert [row["n"] for row in query.batch().values() if row] == [1]
