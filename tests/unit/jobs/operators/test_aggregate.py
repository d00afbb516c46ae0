from typing import Any

import pytest

from jobs.operators.aggregate_bound import AggregateBound
from tests.support.plan_helpers import found, only, planned, schema, step_plan

WINDOW = {"tumbling": {"size": "10s"}}
COUNT = {"c": "count()"}


def test_windowed_update() -> None:
    plan = step_plan(
        op="aggregate",
        window=WINDOW,
        grace="3s",
        by={"name": "upper(id)"},
        measures={"c": "count()", "t": "sum(x)"},
    )
    assert plan.problems == ()
    assert schema(plan) == {
        "window_start": "timestamp!",
        "window_end": "timestamp!",
        "name": "string!",
        "c": "long!",
        "t": "long",
    }
    output = plan.node("step").output
    assert (output.kind, output.identity, output.identity_kind) == (
        "upsert",
        ("window_start", "window_end", "name"),
        "key",
    )
    assert (output.windowed, str(output.slack)) == (True, "3s")


def test_windowed_final_gives_facts() -> None:
    output = step_plan(op="aggregate", window=WINDOW, measures=COUNT, emit="final").node("step").output
    assert (output.kind, output.identity) == ("append", ("window_start", "window_end"))


def test_without_a_window() -> None:
    plan = step_plan(op="aggregate", by=["k"], measures=COUNT)
    assert schema(plan) == {"k": "string", "c": "long!"}
    problem = only(plan)
    assert (problem.code, problem.severity) == ("STATE_UNBOUNDED", "warning")
    assert step_plan(op="aggregate", measures=COUNT).problems == ()


def test_the_bound_form_holds_the_total_slack() -> None:
    bound = step_plan(op="aggregate", window=WINDOW, grace="1m", measures=COUNT).node("step").bound
    assert isinstance(bound, AggregateBound)
    assert (str(bound.slack), str(bound.grace)) == ("1m", "1m")


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"measures": {}}, "PARAMETER_MISSING", "measures"),
        ({"measures": COUNT, "emit": "final"}, "EMIT_UNSUPPORTED", "emit"),
        ({"measures": COUNT, "emit": "sometimes"}, "PARAMETER_RANGE", "emit"),
        ({"measures": COUNT, "grace": "1s"}, "PARAMETER_RANGE", "grace"),
        ({"measures": COUNT, "grace": "soon", "window": WINDOW}, "PARAMETER_RANGE", "grace"),
        ({"measures": COUNT, "grace": "-1s", "window": WINDOW}, "PARAMETER_RANGE", "grace"),
        ({"measures": COUNT, "by": ["y"], "window": WINDOW}, "KEY_TYPE", "by.0"),
        ({"measures": COUNT, "by": {"k": "tags"}, "window": WINDOW}, "KEY_TYPE", "by.k"),
        ({"measures": COUNT, "by": ["kk"], "window": WINDOW}, "FIELD_UNKNOWN", "by.0"),
        ({"measures": COUNT, "by": ["k", "k"], "window": WINDOW}, "NAME_TAKEN", "by.1"),
        ({"measures": COUNT, "by": {"c": "k"}, "window": WINDOW}, "NAME_TAKEN", "measures.c"),
        ({"measures": {"window_start": "count()"}, "window": WINDOW}, "NAME_TAKEN", "measures.window_start"),
        (
            {"measures": {"c": "count()"}, "by": {"window_end": "k"}, "window": WINDOW},
            "NAME_TAKEN",
            "by.window_end",
        ),
        ({"measures": {"_c": "count()"}}, "NAME_RESERVED", "measures._c"),
        ({"measures": {"c d": "count()"}}, "NAME_INVALID", "measures.c d"),
        ({"measures": COUNT, "late": "later", "window": WINDOW}, "PARAMETER_RANGE", "late"),
        (
            {"measures": COUNT, "by": {f"k{i}": "k" for i in range(17)}, "window": WINDOW},
            "PARAMETER_RANGE",
            "by",
        ),
        ({"measures": {f"m{i}": "count()" for i in range(101)}}, "PARAMETER_RANGE", "measures"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="aggregate", **parameters)) == [(code, f"steps.step.{place}")]


def test_a_window_start_may_be_an_ordinary_key_without_a_window() -> None:
    assert step_plan(op="aggregate", by={"window_start": "at"}, measures=COUNT).ok


MINUTES = {
    "op": "aggregate",
    "input": "kept",
    "window": {"tumbling": {"size": "1m"}},
    "measures": {"t": "sum(c)"},
}


def chained(first: str, second: str) -> Any:
    return planned(
        {
            "first": {
                "op": "aggregate",
                "input": "s",
                "window": WINDOW,
                "by": ["k"],
                "measures": COUNT,
                "emit": first,
            },
            "kept": {"op": "filter", "input": "first", "where": "c > 1"},
            "second": {
                "op": "aggregate",
                "input": "kept",
                "window": {"tumbling": {"size": "1m"}},
                "grace": "3s",
                "measures": {"t": "sum(c)"},
                "emit": second,
            },
        }
    )


def test_over_updates_it_is_refused() -> None:
    assert found(chained("update", "update")) == [("CHAIN_UPDATE", "steps.second.input")]
    assert found(chained("update", "final")) == [("CHAIN_UPDATE", "steps.second.input")]


def test_updates_over_final_results_are_computed_by_a_second_query() -> None:
    plan = chained("final", "update")
    assert plan.problems == ()
    assert [query.name for query in plan.queries] == ["append", "update"]


def test_over_final_results_windows_nest_and_lags_add_up() -> None:
    plan = chained("final", "final")
    assert plan.problems == ()
    output = plan.node("second").output
    assert (output.kind, output.identity, str(output.slack)) == (
        "append",
        ("window_start", "window_end"),
        "3s",
    )


def test_sessions_and_sliding_windows_are_final_unless_said_otherwise() -> None:
    for window in ({"session": {"gap": "1m"}}, {"sliding": {"size": "1m"}}):
        plan = step_plan(op="aggregate", window=window, measures=COUNT)
        assert plan.problems == ()
        assert plan.node("step").output.kind == "append"
        assert plan.mode.mode == "microbatch"
        assert found(step_plan(op="aggregate", window=window, measures=COUNT, emit="update")) == [
            ("EMIT_UNSUPPORTED", "steps.step.emit")
        ]


def late_plan(outputs: dict[str, Any], **step: Any) -> Any:
    return planned(
        {"step": {"op": "aggregate", "input": "s", "measures": COUNT, "late": "dead_letter", **step}},
        outputs=outputs,
    )


def test_late_rows_have_a_port() -> None:
    plan = late_plan({"out": {"input": "step.late", "to": "result"}}, window=WINDOW)
    assert plan.ok
    late = plan.node("step").ports["late"]
    added = {row["name"]: row["type"] for row in late.schema.as_json()[-3:]}
    assert added == {"late_step": "string", "late_watermark": "timestamp", "late_by": "long"}
    assert (late.kind, late.identity_kind, late.schema.names[:2]) == ("append", "row", ("k", "x"))
    assert plan.mode.mode == "microbatch"


def test_late_rows_that_nothing_reads() -> None:
    plan = late_plan({"out": {"input": "step", "to": "result"}}, window=WINDOW)
    assert found(plan) == [("PARAMETER_RANGE", "steps.step.late")]


def test_late_rows_feed_steps_without_state_only() -> None:
    first = {
        "op": "aggregate",
        "input": "s",
        "window": WINDOW,
        "measures": COUNT,
        "late": "dead_letter",
        "emit": "final",
    }
    kept = {"op": "filter", "input": "first.late", "where": "late_by > 1000"}
    assert planned({"first": first, "kept": kept}).ok
    again = {"op": "aggregate", "input": "kept", "window": WINDOW, "measures": COUNT, "emit": "final"}
    assert ("KIND_MISMATCH", "steps.again.input") in found(
        planned({"first": first, "kept": kept, "again": again})
    )


def test_a_port_of_late_rows_needs_windows_and_free_names() -> None:
    outputs = {"out": {"input": "step.late", "to": "result"}}
    assert ("PARAMETER_RANGE", "steps.step.late") in found(late_plan(outputs))
    plan = planned(
        {
            "named": {"op": "derive", "input": "s", "fields": {"late_by": "x"}},
            "step": {
                "op": "aggregate",
                "input": "named",
                "window": WINDOW,
                "measures": COUNT,
                "late": "dead_letter",
            },
        },
        outputs=outputs,
    )
    assert ("NAME_TAKEN", "steps.step.late") in found(plan)
