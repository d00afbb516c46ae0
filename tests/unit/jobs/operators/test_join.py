from typing import Any

import pytest

from jobs.base.durations import Duration, parse_duration
from jobs.base.types import LONG, STRING
from jobs.operators import OPERATORS
from jobs.operators.join_bound import JoinBound
from jobs.operators.join_fields import KeyPair
from jobs.plan import Plan, plan_job
from tests.support.plan_helpers import contract, document, found, schema

VIEWS = {"user": "string", "n": "int", "page": "string!", "score": "double", "tags": "array<string>"}
SEARCHES = {"user": "string", "m": "long", "text": "string!", "price": "double", "at": "decimal(10,2)"}
SOURCES = {"views": {"stream": "views"}, "searches": {"stream": "searches"}}
STEP = {
    "op": "join",
    "left": "views",
    "right": "searches",
    "on": {"user": "user"},
    "between": {"after": "1s"},
    "prefix": "s_",
}


def plan_of(steps: dict[str, Any], **more: Any) -> Plan:
    return plan_job(
        document(steps, sources=SOURCES, **more), {"views": contract(VIEWS), "searches": contract(SEARCHES)}
    )


def joined(*without: str, **changes: Any) -> Plan:
    return plan_of(
        {"step": {name: value for name, value in {**STEP, **changes}.items() if name not in without}}
    )


def test_an_inner_join_keeps_both_sides() -> None:
    plan = joined()
    assert plan.problems == ()
    assert list(schema(plan)) == ["user", "n", "page", "score", "tags", "s_user", "m", "text", "price", "at"]
    assert (schema(plan)["page"], schema(plan)["text"]) == ("string!", "string!")
    output = plan.node("step").output
    assert (output.kind, output.identity_kind, output.system, output.index_depth) == (
        "append",
        "pair",
        ("_time",),
        0,
    )
    assert plan.node("step").bound == JoinBound(
        type="inner",
        on=(KeyPair("user", "user", STRING),),
        before=Duration(0),
        after=parse_duration("1s"),
        where=None,
        names=(("user", "s_user"), ("m", "m"), ("text", "text"), ("price", "price"), ("at", "at")),
        time="later",
        slack=Duration(0),
    )


@pytest.mark.parametrize(
    ("type_", "page", "text"),
    [
        ("inner", "string!", "string!"),
        ("left", "string!", "string"),
        ("right", "string", "string!"),
        ("full", "string", "string"),
    ],
)
def test_a_side_that_may_be_missing_is_nullable(type_: str, page: str, text: str) -> None:
    plan = joined(type=type_)
    assert plan.ok
    assert (schema(plan)["page"], schema(plan)["text"]) == (page, text)


@pytest.mark.parametrize("type_", ["semi", "anti"])
def test_semi_and_anti_give_left_rows(type_: str) -> None:
    plan = joined("prefix", type=type_)
    assert plan.problems == ()
    assert list(schema(plan)) == list(VIEWS)
    output = plan.node("step").output
    assert output.identity_kind == "row"
    assert "_offset" in output.system


def test_int_meets_long_as_long() -> None:
    bound = joined(on={"n": "m"}).node("step").bound
    assert isinstance(bound, JoinBound)
    assert bound.on == (KeyPair("n", "m", LONG),)


@pytest.mark.parametrize(
    ("between", "slack", "spark_slack"),
    [
        ({"after": "1s"}, "1s", "1s1ms"),
        ({"before": "5s", "after": "1s"}, "5s", "5s1ms"),
        ({"before": "-1s", "after": "3s"}, "3s", "3s1ms"),
        ({"before": "0s", "after": "0s"}, "0s", "1ms"),
        ({"before": "0s", "after": "1s999ms999us"}, "1s999ms999us", "2s1ms"),
        ({"before": "400us", "after": "1us"}, "400us", "2ms"),
        ({"before": "-1s500us", "after": "2s"}, "2s", "2s1ms"),
    ],
)
def test_rows_trail_by_the_wider_bound(between: dict[str, str], slack: str, spark_slack: str) -> None:
    output = joined(between=between).node("step").output
    assert (str(output.slack), str(output.spark_slack)) == (slack, spark_slack)


def test_lags_add_up_through_joins() -> None:
    steps = {
        "first": STEP,
        "counts": {
            "op": "aggregate",
            "input": "searches",
            "window": {"tumbling": {"size": "1m"}},
            "grace": "7s",
            "by": ["user"],
            "measures": {"searched": "count()"},
            "emit": "final",
        },
        "second": {
            "op": "join",
            "left": "first",
            "right": "counts",
            "on": {"user": "user"},
            "between": {"after": "2s"},
            "prefix": "c_",
        },
    }
    plan = plan_of(steps)
    assert plan.ok, found(plan)
    bound = plan.node("second").bound
    assert isinstance(bound, JoinBound)
    assert str(bound.slack) == "7s"
    assert (str(plan.node("second").output.slack), str(plan.node("second").output.spark_slack)) == (
        "9s",
        "3s2ms",
    )


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"on": {}}, "JOIN_NO_KEY", "on"),
        ({"on": {"usr": "user"}}, "FIELD_UNKNOWN", "on.usr"),
        ({"on": {"user": "usr"}}, "FIELD_UNKNOWN", "on.user"),
        ({"on": {"user": "m"}}, "JOIN_KEY_TYPE", "on.user"),
        ({"on": {"score": "price"}}, "JOIN_KEY_TYPE", "on.score"),
        ({"between": {"before": "-2s", "after": "1s"}}, "JOIN_RANGE", "between"),
        ({"between": {"after": "400d"}}, "JOIN_RANGE", "between.after"),
        ({"between": {"after": "soon"}}, "PARAMETER_RANGE", "between.after"),
        ({"between": {"before": "1s"}}, "PARAMETER_MISSING", "between.after"),
        ({"type": "cross"}, "PARAMETER_RANGE", "type"),
        ({"where": "price"}, "TYPE_MISMATCH", "where"),
        ({"where": "pric > 1"}, "FIELD_UNKNOWN", "where"),
        ({"where": "_time is null"}, "FIELD_UNKNOWN", "where"),
        ({"where": "true"}, "CONSTANT_CONDITION", "where"),
        ({"prefix": ""}, "NAME_TAKEN", "prefix"),
        ({"prefix": "1"}, "NAME_INVALID", "prefix"),
        ({"prefix": "_"}, "NAME_RESERVED", "prefix"),
        ({"type": "semi", "time": "right"}, "PARAMETER_RANGE", "time"),
        ({"right": "views", "on": {"user": "user"}}, "SELF_JOIN", "right"),
        ({"right": "nothing"}, "INPUT_COUNT", "right"),
    ],
)
def test_problems(changes: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(joined(**changes))


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({}, "warning"),
        ({"time": "left"}, "error"),
        ({"type": "left"}, "error"),
        ({"type": "right"}, "error"),
        ({"type": "full"}, "error"),
        ({"type": "semi"}, "error"),
        ({"type": "anti"}, "error"),
    ],
)
def test_a_join_without_bounds(changes: dict[str, Any], severity: str) -> None:
    plan = joined("between", **changes)
    assert [(p.code, ".".join(p.path), p.severity) for p in plan.problems if p.code == "JOIN_UNBOUNDED"] == [
        ("JOIN_UNBOUNDED", "steps.step.between", severity)
    ]


def test_a_changelog_cannot_be_joined() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "searches", "by": ["user"], "measures": {"n": "count()"}},
        "step": {**STEP, "right": "counts"},
    }
    assert ("KIND_MISMATCH", "steps.step.right") in found(plan_of(steps))


def test_what_each_side_must_read() -> None:
    plan = plan_of(
        {
            "step": {**STEP, "where": "score > price"},
            "out": {"op": "select", "input": "step", "fields": ["page", "m"]},
        }
    )
    assert plan.node("views").bound.used_fields == ("user", "page", "score")  # type: ignore[attr-defined]
    assert plan.node("searches").bound.used_fields == ("user", "m", "text", "price")  # type: ignore[attr-defined]


def test_what_it_asks_of_the_engine() -> None:
    row = OPERATORS["join"]
    modes = {
        type_: row.output_modes(joined(type=type_).node("step").bound)
        for type_ in ("inner", "left", "right", "full", "semi", "anti")
    }
    assert {type_ for type_, of in modes.items() if "update" in of} == {"inner", "semi"}
    assert all("append" in of for of in modes.values())
    endless = joined("between").node("step").bound
    assert "micro-batch mode" in row.realtime(endless)
    assert row.state(endless, ()).kind == "unbounded"
    assert row.state(joined().node("step").bound, ()).kind == "bounded"


@pytest.mark.parametrize(
    "changes",
    [
        {"between": {"after": "2s"}},
        {"between": {"before": "1s", "after": "1s"}},
        {"type": "left"},
        {"where": "score > price"},
        {"on": {"user": "user", "page": "text"}},
        {"on": {"page": "text"}},
        {"left": "searches", "right": "views"},
    ],
)
def test_these_changes_give_the_state_another_meaning(changes: dict[str, Any]) -> None:
    assert joined().fingerprint != joined(**changes).fingerprint


def test_these_do_not() -> None:
    assert (
        joined().fingerprint
        == joined(prefix="other_").fingerprint
        == joined(between={"before": "0ms", "after": "1000ms"}).fingerprint
    )
