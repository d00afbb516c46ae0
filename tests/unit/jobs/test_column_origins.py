"""Of what each column of an output comes, and what decides which rows there are, through every operator."""

from typing import Any

import pytest

from jobs.column_origins import Origins, output_origins
from jobs.operators import OPERATORS
from jobs.plan import plan_job
from tests.support.plan_helpers import contract, document, planned

CONTRACTS = {
    "s": contract(
        {
            "k": "string",
            "x": "int",
            "y": "double",
            "tags": "array<string>",
            "pairs": "map<string,int>",
            "place": "struct<city:string>",
            "flag": "boolean",
        }
    ),
    "r": contract({"k": "string", "x": "int", "z": "int"}),
    "t": contract({"k": "string!", "name": "string", "x": "int"}, kind="table", key=("k",)),
}
WORDS = {"IDENTITY": "same", "TRANSFORMATION": "computed", "AGGREGATION": "aggregated"}
COUNTS = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "5s"}}, "emit": "final"}
JOIN = {
    "op": "join",
    "left": "s",
    "right": "r",
    "on": {"k": "k"},
    "between": {"before": "1s", "after": "1m"},
    "prefix": "r_",
}
TABLE_JOIN = {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}
JOINED = {"s.k": "JOIN", "r.k": "JOIN", "s._time": "JOIN", "r._time": "JOIN"}
WINDOWED = {"s._time": "WINDOW"}
PAIR = {"k": "s.k same", "x": "s.x same", "r_k": "r.k same", "r_x": "r.x same", "z": "r.z same"}


def origins(steps: dict[str, Any], reference: str) -> Origins:
    """The origins of what flows out of a node or port."""
    read = {
        name
        for step in steps.values()
        for name in (
            *(step.get(side) for side in ("input", "left", "right", "table")),
            *step.get("inputs", ()),
        )
    }
    kinds = {"s": "stream", "r": "stream", "t": "table"}
    sources = {name: {kind: name} for name, kind in kinds.items() if name in read}
    outputs = {"out": {"input": reference, "to": "result"}}
    plan = plan_job(document(steps, sources=sources, outputs=outputs), CONTRACTS)
    assert plan.ok, plan.problems
    return output_origins(plan)["out"]


def columns_of(found: Origins) -> dict[str, str]:
    """By column its sources and what is done to them, as one text."""
    return {
        name: ", ".join(f"{source} {WORDS[how]}" for source, how in sorted(made_of.items()))
        for name, made_of in found.columns.items()
    }


def rows_of(found: Origins) -> dict[str, str]:
    return {source: " ".join(sorted(kinds)) for source, kinds in found.rows.items()}


# Operator, steps, of what is asked, columns (not all of them), and all that decides rows.
Case = tuple[str, dict[str, Any], str, dict[str, str], dict[str, str]]
CASES: dict[str, Case] = {
    "filter": (
        "filter",
        {"a": {"op": "filter", "input": "s", "where": "flag and x > 1"}},
        "a",
        {"k": "s.k same", "flag": "s.flag same", "tags": "s.tags same"},
        {"s.flag": "FILTER", "s.x": "FILTER"},
    ),
    "a filter of a computed field": (
        "filter",
        {
            "a": {"op": "derive", "input": "s", "fields": {"n": "x + length(k)"}},
            "b": {"op": "filter", "input": "a", "where": "n > 1"},
        },
        "b",
        {"n": "s.k computed, s.x computed", "x": "s.x same"},
        {"s.k": "FILTER", "s.x": "FILTER"},
    ),
    "derive": (
        "derive",
        {"a": {"op": "derive", "input": "s", "fields": {"n": "x * 2", "copy": "y", "one": "1", "x": "y"}}},
        "a",
        {"n": "s.x computed", "copy": "s.y same", "one": "", "x": "s.y same", "k": "s.k same"},
        {},
    ),
    "select": (
        "select",
        {"a": {"op": "select", "input": "s", "fields": {"a": "x", "b": "(y)", "c": "- x", "d": "_time"}}},
        "a",
        {"a": "s.x same", "b": "s.y same", "c": "s.x computed", "d": "s._time same"},
        {},
    ),
    "a computed column that is copied later stays computed": (
        "select",
        {
            "a": {"op": "derive", "input": "s", "fields": {"n": "upper(k)"}},
            "b": {"op": "select", "input": "a", "fields": {"m": "n", "both": "concat(n, k)"}},
        },
        "b",
        {"m": "s.k computed", "both": "s.k computed"},
        {},
    ),
    "rename": (
        "rename",
        {"a": {"op": "rename", "input": "s", "fields": {"k": "key", "x": "k2"}}},
        "a",
        {"key": "s.k same", "k2": "s.x same", "y": "s.y same"},
        {},
    ),
    "drop": (
        "drop",
        {"a": {"op": "drop", "input": "s", "fields": ["k"]}},
        "a",
        {"x": "s.x same"},
        {},
    ),
    "cast": (
        "cast",
        {"a": {"op": "cast", "input": "s", "fields": {"x": "long"}}},
        "a",
        {"x": "s.x computed", "k": "s.k same"},
        {},
    ),
    "flatten": (
        "flatten",
        {"a": {"op": "flatten", "input": "s", "field": "place"}},
        "a",
        {"place_city": "s.place computed", "k": "s.k same"},
        {},
    ),
    "explode an array": (
        "explode",
        {"a": {"op": "explode", "input": "s", "field": "tags", "as": "tag", "position": "at"}},
        "a",
        {"tag": "s.tags computed", "at": "s.tags computed", "k": "s.k same"},
        {"s.tags": "FILTER"},
    ),
    "explode a map whose new names are those of fields elsewhere": (
        "explode",
        {
            "a": {"op": "select", "input": "s", "fields": ["k", "pairs"]},
            "b": {"op": "explode", "input": "a", "field": "pairs", "key": "x", "value": "y"},
        },
        "b",
        {"x": "s.pairs computed", "y": "s.pairs computed"},
        {"s.pairs": "FILTER"},
    ),
    "explode what was aggregated": (
        "explode",
        {
            "a": {**COUNTS, "measures": {"all": "collect_set(x, 10)"}},
            "b": {"op": "explode", "input": "a", "field": "all", "as": "one"},
        },
        "b",
        {"one": "s.x aggregated"},
        {**WINDOWED, "s.x": "FILTER"},
    ),
    "split": (
        "split",
        {"a": {"op": "split", "input": "s", "field": "k", "as": "word"}},
        "a",
        {"word": "s.k computed", "x": "s.x same"},
        {"s.k": "FILTER"},
    ),
    "union": (
        "union",
        {
            "a": {"op": "derive", "input": "s", "fields": {"k": "upper(k)"}},
            "b": {"op": "union", "inputs": ["a", "r"], "source_field": "which"},
        },
        "b",
        {"k": "r.k same, s.k computed", "x": "r.x same, s.x same", "z": "r.z same", "which": ""},
        {},
    ),
    "a union of one source with itself says the strongest": (
        "union",
        {
            "a": {"op": "derive", "input": "s", "fields": {"k": "upper(k)"}},
            "b": {"op": "filter", "input": "s", "where": "flag"},
            "c": {"op": "union", "inputs": ["a", "b"]},
        },
        "c",
        {"k": "s.k computed", "x": "s.x same"},
        {"s.flag": "FILTER"},
    ),
    "the first branch": (
        "branch",
        {"a": {"op": "branch", "input": "s", "branches": {"few": "x < 3", "odd": "flag"}, "rest": "others"}},
        "a.few",
        {"x": "s.x same", "k": "s.k same"},
        {"s.x": "FILTER"},
    ),
    "a later branch is what the earlier ones left": (
        "branch",
        {"a": {"op": "branch", "input": "s", "branches": {"few": "x < 3", "odd": "flag", "last": "y > 1"}}},
        "a.odd",
        {"x": "s.x same"},
        {"s.x": "FILTER", "s.flag": "FILTER"},
    ),
    "the rest of a branch": (
        "branch",
        {"a": {"op": "branch", "input": "s", "branches": {"few": "x < 3", "odd": "flag"}, "rest": "others"}},
        "a.others",
        {"x": "s.x same"},
        {"s.x": "FILTER", "s.flag": "FILTER"},
    ),
    "each branch that matches": (
        "branch",
        {"a": {"op": "branch", "input": "s", "branches": {"few": "x < 3", "odd": "flag"}, "match": "all"}},
        "a.odd",
        {"x": "s.x same"},
        {"s.flag": "FILTER"},
    ),
    "two branches that meet again": (
        "branch",
        {
            "a": {"op": "branch", "input": "s", "branches": {"few": "x < 3", "odd": "flag"}, "match": "all"},
            "b": {"op": "derive", "input": "a.odd", "fields": {"k": "upper(k)"}},
            "c": {"op": "union", "inputs": ["a.few", "b"]},
        },
        "c",
        {"k": "s.k computed", "x": "s.x same"},
        {"s.x": "FILTER", "s.flag": "FILTER"},
    ),
    "sample": (
        "sample",
        {"a": {"op": "sample", "input": "s", "fraction": 0.5}},
        "a",
        {"x": "s.x same"},
        {},
    ),
    "deduplicate": (
        "deduplicate",
        {"a": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "1m"}},
        "a",
        {"k": "s.k same", "x": "s.x same"},
        {"s.k": "GROUP_BY", "s._time": "WINDOW"},
    ),
    "deduplicate rows of one time": (
        "deduplicate",
        {"a": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"}},
        "a",
        {"x": "s.x same"},
        {"s.k": "GROUP_BY", "s._time": "GROUP_BY"},
    ),
    "late rows of deduplicate": (
        "deduplicate",
        {"a": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "1m", "late": "dead_letter"}},
        "a.late",
        {"k": "s.k same", "late_by": "s._time computed", "late_step": "", "late_watermark": ""},
        {"s._time": "FILTER"},
    ),
    "throttle": (
        "throttle",
        {"a": {"op": "throttle", "input": "s", "by": ["k"], "every": "1m"}},
        "a",
        {"k": "s.k same", "x": "s.x same"},
        {"s.k": "GROUP_BY", "s._time": "WINDOW"},
    ),
    "latest": (
        "latest",
        {"a": {"op": "latest", "input": "s", "by": ["k"], "delete_when": "flag"}},
        "a",
        {"k": "s.k same", "x": "s.x same"},
        {"s.k": "GROUP_BY", "s.flag": "FILTER"},
    ),
    "aggregate": (
        "aggregate",
        {
            "a": {
                **COUNTS,
                "by": {"key": "upper(k)", "other": "x"},
                "measures": {"n": "count()", "total": "sum(x) where flag", "top": "top_rows(2, by y, [k])"},
            }
        },
        "a",
        {
            "key": "s.k computed",
            "other": "s.x same",
            "n": "",
            "total": "s.flag aggregated, s.x aggregated",
            "top": "s.k aggregated, s.y aggregated",
            "window_start": "s._time computed",
            "window_end": "s._time computed",
        },
        {**WINDOWED, "s.k": "GROUP_BY", "s.x": "GROUP_BY"},
    ),
    "an aggregate over all rows": (
        "aggregate",
        {"a": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"top": "max(x)"}}},
        "a",
        {"k": "s.k same", "top": "s.x aggregated"},
        {"s.k": "GROUP_BY"},
    ),
    "what was aggregated stays so": (
        "aggregate",
        {
            "a": {**COUNTS, "by": ["k"], "measures": {"total": "sum(x)"}},
            "b": {"op": "select", "input": "a", "fields": {"mean": "total / 2", "total": "total", "k": "k"}},
        },
        "b",
        {"mean": "s.x aggregated", "total": "s.x aggregated", "k": "s.k same"},
        {**WINDOWED, "s.k": "GROUP_BY"},
    ),
    "late rows have their own fields, whatever measures and keys are called": (
        "aggregate",
        {
            "a": {
                **COUNTS,
                "by": {"k": "upper(k)"},
                "measures": {"x": "max(y)"},
                "late": "dead_letter",
            }
        },
        "a.late",
        {"k": "s.k same", "x": "s.x same", "flag": "s.flag same", "late_by": "s._time computed"},
        {"s._time": "FILTER"},
    ),
    "change": (
        "change",
        {
            "a": {**COUNTS, "by": ["k"], "measures": {"total": "sum(x)", "n": "count()"}},
            "b": {"op": "change", "input": "a", "of": ["total"]},
        },
        "b",
        {
            "total": "s.x aggregated",
            "total_previous": "s.x aggregated",
            "total_delta": "s.x aggregated",
            "total_percent": "s.x aggregated",
            "n": "",
            "k": "s.k same",
            "window_end": "s._time computed",
        },
        {**WINDOWED, "s.k": "GROUP_BY"},
    ),
    "join": ("join", {"a": JOIN}, "a", PAIR, JOINED),
    "a join without bounds of time": (
        "join",
        {"a": {name: value for name, value in JOIN.items() if name != "between"}},
        "a",
        PAIR,
        {"s.k": "JOIN", "r.k": "JOIN"},
    ),
    "the condition of a join names either side": (
        "join",
        {"a": {**JOIN, "where": "r_x > y"}},
        "a",
        PAIR,
        {**JOINED, "r.x": "JOIN", "s.y": "JOIN"},
    ),
    "each side of a join with what was done to it": (
        "join",
        {
            "l": {"op": "derive", "input": "s", "fields": {"x": "x + 1", "flag": "flag"}},
            "f": {"op": "filter", "input": "r", "where": "z > 1"},
            "a": {**JOIN, "left": "l", "right": "f"},
        },
        "a",
        {**PAIR, "x": "s.x computed"},
        {**JOINED, "r.z": "FILTER"},
    ),
    "a field that a prefix renames is not that of the same name on the left": (
        "join",
        {
            "l": {"op": "derive", "input": "s", "fields": {"k2": "k", "x": "x * 2"}},
            "m": {"op": "select", "input": "s", "fields": ["k", "x"]},
            "a": {**JOIN, "left": "l", "right": "m"},
        },
        "a",
        {"x": "s.x computed", "r_x": "s.x same", "k": "s.k same", "r_k": "s.k same"},
        {"s.k": "JOIN", "s._time": "JOIN"},
    ),
    "a field of the left that is called as a prefix would call one of the right": (
        "join",
        {
            "l": {"op": "rename", "input": "s", "fields": {"y": "r_x"}},
            "a": {**JOIN, "left": "l", "type": "semi"},
        },
        "a",
        {"r_x": "s.y same", "x": "s.x same"},
        JOINED,
    ),
    "an anti join gives left rows": (
        "join",
        {"a": {**JOIN, "type": "anti", "where": "r_x > 1"}},
        "a",
        {"k": "s.k same", "x": "s.x same"},
        {**JOINED, "r.x": "JOIN"},
    ),
    "the later of two times": (
        "join",
        {"a": {**JOIN, "type": "inner"}, "b": {"op": "select", "input": "a", "fields": {"at": "_time"}}},
        "b",
        {"at": "r._time computed, s._time computed"},
        JOINED,
    ),
    "the time of one side": (
        "join",
        {"a": {**JOIN, "time": "left"}, "b": {"op": "select", "input": "a", "fields": {"at": "_time"}}},
        "b",
        {"at": "s._time same"},
        JOINED,
    ),
    "table_join": (
        "table_join",
        {"a": TABLE_JOIN},
        "a",
        {"k": "s.k same", "t_k": "t.k same", "name": "t.name same", "x": "s.x same", "t_x": "t.x same"},
        {"s.k": "JOIN", "t.k": "JOIN"},
    ),
    "a table as of a time": (
        "table_join",
        {"a": {**TABLE_JOIN, "version": "as_of"}},
        "a",
        {"name": "t.name same"},
        {"s.k": "JOIN", "t.k": "JOIN", "s._time": "JOIN", "t._time": "JOIN"},
    ),
    "a table join by a computed key": (
        "table_join",
        {
            "l": {"op": "derive", "input": "s", "fields": {"code": "lower(k)"}},
            "a": {**TABLE_JOIN, "input": "l", "on": {"code": "k"}, "type": "left"},
        },
        "a",
        {"code": "s.k computed", "t_k": "t.k same", "name": "t.name same"},
        {"s.k": "JOIN", "t.k": "JOIN"},
    ),
}


@pytest.mark.parametrize(("operator", "steps", "reference", "columns", "rows"), CASES.values(), ids=CASES)
def test_origins(
    operator: str, steps: dict[str, Any], reference: str, columns: dict[str, str], rows: dict[str, str]
) -> None:
    assert operator in {step["op"] for step in steps.values()}
    found = origins(steps, reference)
    made = columns_of(found)
    assert {name: made[name] for name in columns} == columns
    assert rows_of(found) == rows


def test_every_operator_has_a_case() -> None:
    assert {operator for operator, *_ in CASES.values()} == set(OPERATORS)


def test_each_output_has_its_own_rows() -> None:
    """What another output filters is not said of this one, though both come from one source."""
    plan = planned(
        {
            "some": {"op": "filter", "input": "s", "where": "flag"},
            "sums": {**COUNTS, "input": "some", "by": ["k"], "measures": {"total": "sum(x)"}},
            "more": {"op": "filter", "input": "s", "where": "big > 1"},
        },
        outputs={"live": {"input": "sums", "to": "result"}, "all": {"input": "more", "to": {"topic": "t"}}},
    )
    assert plan.ok, plan.problems
    found = output_origins(plan)
    assert rows_of(found["live"]) == {"s.flag": "FILTER", "s.k": "GROUP_BY", **WINDOWED}
    assert rows_of(found["all"]) == {"s.big": "FILTER"}
    assert columns_of(found["all"])["x"] == "s.x same"


def test_an_exchange_between_two_queries_is_no_output() -> None:
    plan = planned(
        {
            "few": {**COUNTS, "by": ["k"], "measures": {"n": "count()"}},
            "all": {"op": "aggregate", "input": "few", "measures": {"most": "max(n)"}},
            "high": {"op": "aggregate", "input": "few", "measures": {"top": "max(k)"}},
        },
        outputs={"live": {"input": "all", "to": "result"}, "top": {"input": "high", "to": {"topic": "t"}}},
    )
    assert plan.ok, plan.problems
    assert plan.has_exchange
    found = output_origins(plan)
    assert columns_of(found["top"]) == {"top": "s.k aggregated"}
    assert columns_of(found["live"]) == {"most": ""}
    assert set(found) == {"live", "top"}


def test_a_document_with_errors_has_none() -> None:
    assert output_origins(planned({"some": {"op": "filter", "input": "s", "where": "x >"}})) == {}
