"""Output column to source columns, through every kind of step."""

import json
import time
from typing import Any

import pytest

from jobs.operators import OPERATORS
from jobs.operators.lineage import same_columns
from jobs.plan import Plan, PlanningContext, plan_job
from jobs.plan.lineage import output_lineage
from tests.support.plan_helpers import contract, document, planned

SOURCES = {"s": {"stream": "s"}, "r": {"stream": "r"}, "t": {"table": "t"}}
CONTRACTS = {
    "s": contract(
        {
            "k": "string",
            "x": "int",
            "y": "double",
            "tags": "array<string>",
            "place": "struct<city:string>",
            "flag": "boolean",
        }
    ),
    "r": contract({"k": "string", "z": "int"}),
    "t": contract({"k": "string!", "name": "string"}, kind="table", key=("k",)),
}
WINDOW = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "5s"}}}
JOIN = {
    "op": "join",
    "left": "s",
    "right": "r",
    "on": {"k": "k"},
    "between": {"before": "1s", "after": "1m"},
    "prefix": "r_",
}
PAIR = {"k": "s.k", "x": "s.x", "r_k": "r.k", "z": "r.z"}


def made(steps: dict[str, Any], reference: str) -> dict[str, str]:
    """The lineage of what flows out of a node or port, written as one text per column."""
    read = {
        node
        for step in steps.values()
        for node in (step.get("left"), step.get("right"), step.get("table"), "s", *step.get("inputs", ()))
    }
    given = {name: source for name, source in SOURCES.items() if name in read}
    outputs = {"out": {"input": reference, "to": "result"}}
    plan = plan_job(document(steps, sources=given, outputs=outputs), CONTRACTS)
    assert plan.ok, plan.problems
    return {name: " ".join(sorted(fields)) for name, fields in plan.lineage[reference].items()}


CASES: list[tuple[str, dict[str, Any], str, dict[str, str]]] = [
    (
        "filter",
        {"a": {"op": "filter", "input": "s", "where": "flag"}},
        "a",
        {"x": "s.x", "_time": "s._time", "_offset": "s._offset"},
    ),
    (
        "derive",
        {"a": {"op": "derive", "input": "s", "fields": {"n": "x + length(k)"}}},
        "a",
        {"n": "s.k s.x", "y": "s.y"},
    ),
    (
        "select",
        {"a": {"op": "select", "input": "s", "fields": {"n": "y", "at": "_time", "one": "1"}}},
        "a",
        {"n": "s.y", "at": "s._time", "one": ""},
    ),
    (
        "rename",
        {"a": {"op": "rename", "input": "s", "fields": {"k": "key"}}},
        "a",
        {"key": "s.k", "x": "s.x"},
    ),
    ("drop", {"a": {"op": "drop", "input": "s", "fields": ["k"]}}, "a", {"x": "s.x"}),
    ("cast", {"a": {"op": "cast", "input": "s", "fields": {"x": "long"}}}, "a", {"x": "s.x", "k": "s.k"}),
    ("flatten", {"a": {"op": "flatten", "input": "s", "field": "place"}}, "a", {"place_city": "s.place"}),
    (
        "explode",
        {"a": {"op": "explode", "input": "s", "field": "tags", "as": "tag", "position": "at"}},
        "a",
        {"tag": "s.tags", "at": "s.tags", "k": "s.k"},
    ),
    ("split", {"a": {"op": "split", "input": "s", "field": "k"}}, "a", {"word": "s.k", "x": "s.x"}),
    (
        "union",
        {"a": {"op": "union", "inputs": ["s", "r"], "source_field": "which"}},
        "a",
        {"k": "r.k s.k", "x": "s.x", "z": "r.z", "which": "", "_time": "r._time s._time"},
    ),
    (
        "branch",
        {"a": {"op": "branch", "input": "s", "branches": {"few": "x < 3"}}},
        "a.few",
        {"x": "s.x", "k": "s.k"},
    ),
    ("sample", {"a": {"op": "sample", "input": "s", "fraction": 0.5}}, "a", {"x": "s.x"}),
    (
        "deduplicate",
        {"a": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "1m"}},
        "a",
        {"x": "s.x", "_time": "s._time"},
    ),
    ("latest", {"a": {"op": "latest", "input": "s", "by": ["k"]}}, "a", {"k": "s.k", "x": "s.x"}),
    (
        "aggregate",
        {
            "a": {
                **WINDOW,
                "by": {"key": "upper(k)"},
                "measures": {"n": "count()", "total": "sum(x) where flag", "top": "top_rows(2, by y, [k])"},
            }
        },
        "a",
        {
            "key": "s.k",
            "n": "",
            "total": "s.flag s.x",
            "top": "s.k s.y",
            "window_start": "s._time",
            "_time": "s._time",
        },
    ),
    (
        "aggregate",
        {"a": {**WINDOW, "measures": {"x": "max(y)"}, "late": "dead_letter"}},
        "a.late",
        {"x": "s.x", "late_by": "s._time", "late_step": "", "late_watermark": ""},
    ),
    (
        "change",
        {
            "a": {**WINDOW, "by": ["k"], "measures": {"total": "sum(x)"}},
            "b": {"op": "change", "input": "a", "of": ["total"]},
        },
        "b",
        {
            "total": "s.x",
            "total_previous": "s.x",
            "total_delta": "s.x",
            "total_percent": "s.x",
            "k": "s.k",
            "window_end": "s._time",
        },
    ),
    ("join", {"a": JOIN}, "a", {**PAIR, "_time": "r._time s._time"}),
    ("join", {"a": {**JOIN, "time": "left"}}, "a", {**PAIR, "_time": "s._time"}),
    ("join", {"a": {**JOIN, "type": "right", "time": "right"}}, "a", {**PAIR, "_time": "r._time"}),
    ("join", {"a": {**JOIN, "type": "full", "time": "left"}}, "a", {**PAIR, "_time": "r._time s._time"}),
    (
        "join",
        {"a": {key: value for key, value in JOIN.items() if key != "prefix"} | {"type": "anti"}},
        "a",
        {"k": "s.k", "_time": "s._time"},
    ),
    (
        "table_join",
        {
            "a": {
                "op": "table_join",
                "input": "s",
                "table": "t",
                "type": "left",
                "on": {"k": "k"},
                "version": "current",
                "prefix": "t_",
            }
        },
        "a",
        {"k": "s.k", "t_k": "t.k", "name": "t.name", "_time": "s._time", "_offset": "s._offset"},
    ),
]


@pytest.mark.parametrize(
    ("operator", "steps", "reference", "expected"),
    CASES,
    ids=[f"{case[0]} {at}" for at, case in enumerate(CASES)],
)
def test_columns_come_from(
    operator: str, steps: dict[str, Any], reference: str, expected: dict[str, str]
) -> None:
    assert operator in {step["op"] for step in steps.values()}
    found = made(steps, reference)
    assert {name: found[name] for name in expected} == expected


def test_every_operator_that_makes_columns_is_covered() -> None:
    making = {name for name, row in OPERATORS.items() if row.lineage is not same_columns}
    assert making <= {operator for operator, *_ in CASES}


def test_columns_are_followed_down_to_the_source_for_every_output() -> None:
    plan = planned(
        {
            "some": {"op": "filter", "input": "s", "where": "flag"},
            "more": {"op": "derive", "input": "some", "fields": {"value": "price * x", "name": "upper(k)"}},
            "words": {"op": "split", "input": "more", "field": "name"},
            "sums": {
                **WINDOW,
                "input": "words",
                "by": ["word"],
                "measures": {"total": "sum(value) where big > 1"},
                "emit": "final",
            },
            "shown": {
                "op": "select",
                "input": "sums",
                "fields": {"word": "word", "mean": "total / 2", "at": "window_start"},
            },
            "kept": {"op": "select", "input": "more", "fields": ["value"]},
        },
        outputs={"live": {"input": "shown", "to": "result"}, "all": {"input": "kept", "to": {"topic": "t"}}},
    )
    assert plan.ok, plan.problems
    assert output_lineage(plan) == {
        "live": {"word": ["s.k"], "mean": ["s.big", "s.price", "s.x"], "at": ["s._time"]},
        "all": {"value": ["s.price", "s.x"]},
    }


def test_a_document_with_errors_has_none() -> None:
    assert output_lineage(planned({"some": {"op": "filter", "input": "s", "where": "x >"}})) == {}


def widening(letter: str, count: int, stride: int) -> dict[str, str]:
    """240 columns, each of 16 others."""
    made = {}
    for i in range(240):
        read = ",".join(f"{letter}{(i + stride * j) % count}" for j in range(16))
        made[f"g{i}"] = f"coalesce({read},0.0)"
    return made


def wide(steps: dict[str, Any], last: str, outputs: int) -> Plan:
    """The plan of a document whose outputs all give the rows of one step, over a source of 249 columns."""
    topics = {f"t{at}": f"t{at}" for at in range(outputs - 1)}
    targets: dict[str, Any] = {name: {"input": last, "to": {"topic": name}} for name in topics}
    targets["live"] = {"input": last, "to": "result"}
    sources = {"s": {"stream": "s"}}
    written = {"format": 1, "name": "wide", "sources": sources, "steps": steps, "outputs": targets}
    contracts = {"s": contract({f"f{at}": "double" for at in range(249)})}
    return plan_job(written, contracts, PlanningContext(topics=topics))


def test_the_lineage_of_the_widest_documents_is_small() -> None:
    """Each of 489 columns is made of one or of 16, which is what people write, in twenty steps and
    outputs.
    """
    steps: dict[str, Any] = {"s0": {"op": "derive", "input": "s", "fields": widening("f", 249, 16)}}
    steps |= {f"s{at}": {"op": "filter", "input": f"s{at - 1}", "where": "f0 > 0"} for at in range(1, 20)}
    plan = wide(steps, "s19", outputs=20)
    assert plan.ok, plan.problems
    assert len(json.dumps(output_lineage(plan))) < 4_000_000


@pytest.mark.parametrize(
    ("outputs", "place"), [(1, ("steps", "s2")), (20, ("outputs", "t5"))], ids=["by steps", "by outputs"]
)
def test_a_document_whose_lineage_grows_without_end_is_refused_where_it_does(
    outputs: int, place: tuple[str, ...]
) -> None:
    """Most columns come from all of the source's: each step looks at sixteen times as many."""
    steps: dict[str, Any] = {"s0": {"op": "derive", "input": "s", "fields": widening("f", 249, 16)}}
    last = 2 if outputs == 1 else 1
    for at in range(1, last + 1):
        steps[f"s{at}"] = {"op": "derive", "input": f"s{at - 1}", "fields": widening("g", 240, 1)}
    began = time.thread_time()
    plan = wide(steps, f"s{last}", outputs)
    assert time.thread_time() - began < 5.0  # below 1 s where nothing else runs
    assert [(found.code, found.path) for found in plan.problems if found.severity == "error"] == [
        ("DOCUMENT_TOO_LARGE", place)
    ]
    assert plan.lineage == {}
    assert output_lineage(plan) == {}
