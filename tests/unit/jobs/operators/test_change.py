from typing import Any

import pytest

from tests.support.plan_helpers import found, only, planned, schema

WINDOW = {"tumbling": {"size": "10s"}}
MEASURES = {"n": "count()", "avg_y": "avg(y)", "total": "sum(price)", "seen": "last(k)"}


def changed(
    window: Any = WINDOW, emit: str = "update", between: dict[str, Any] | None = None, **step: Any
) -> Any:
    aggregate = {
        "op": "aggregate",
        "input": "s",
        "window": window,
        "by": ["id"],
        "measures": MEASURES,
        "emit": emit,
    }
    return planned(
        {
            "stats": aggregate,
            **({"between": between} if between else {}),
            "step": {"op": "change", "input": "between" if between else "stats", "of": ["n"], **step},
        }
    )


def test_three_fields_per_measure() -> None:
    plan = changed(of=["n", "avg_y", "total"])
    assert plan.ok
    fields = schema(plan)
    assert [name for name in fields if name.startswith("n")] == ["n", "n_previous", "n_delta", "n_percent"]
    assert (fields["n_previous"], fields["n_delta"], fields["n_percent"]) == ("long", "long", "double")
    assert (fields["avg_y_previous"], fields["avg_y_delta"]) == ("double", "double")
    assert (fields["total_previous"], fields["total_delta"]) == ("decimal(20,2)", "decimal(21,2)")


@pytest.mark.parametrize(("emit", "kind"), [("update", "upsert"), ("final", "append")])
def test_kind_and_identity_are_those_of_the_aggregate(emit: str, kind: str) -> None:
    output = changed(emit=emit).node("step").output
    assert (output.kind, output.identity) == (kind, ("window_start", "window_end", "id"))


def test_it_runs_in_real_time_mode_with_updates() -> None:
    assert changed().mode.mode == "realtime"
    assert changed(emit="final").mode.mode == "microbatch"


def test_local_days_follow_each_other_too() -> None:
    assert changed({"calendar": {"unit": "day", "zone": "Europe/Berlin"}}).ok


@pytest.mark.parametrize("window", [{"hopping": {"size": "10s", "advance": "5s"}}, None])
def test_windows_that_do_not_follow_each_other(window: Any) -> None:
    assert ("CHANGE_INPUT", "steps.step.input") in found(changed(window))


def test_sessions_do_not_follow_each_other() -> None:
    assert found(changed({"session": {"gap": "1m"}}, "final")) == [("CHANGE_INPUT", "steps.step.input")]


def test_only_an_aggregate_itself() -> None:
    assert found(changed(between={"op": "filter", "input": "stats", "where": "n > 1"})) == [
        ("CHANGE_INPUT", "steps.step.input")
    ]
    assert only(planned({"step": {"op": "change", "input": "s", "of": ["x"]}})).code == "CHANGE_INPUT"


def test_a_broken_aggregate_is_told_once() -> None:
    plan = planned(
        {
            "stats": {"op": "aggregate", "input": "s", "window": WINDOW, "measures": {"n": "sum(nothing)"}},
            "step": {"op": "change", "input": "stats", "of": ["n"]},
        }
    )
    assert found(plan) == [("FIELD_UNKNOWN", "steps.stats.measures.n")]


@pytest.mark.parametrize(
    ("step", "code", "place"),
    [
        ({"of": []}, "PARAMETER_MISSING", "of"),
        ({"of": ["m"]}, "FIELD_UNKNOWN", "of.0"),
        ({"of": ["id"]}, "FIELD_UNKNOWN", "of.0"),
        ({"of": ["seen"]}, "TYPE_MISMATCH", "of.0"),
        ({"of": ["n", "n"]}, "NAME_TAKEN", "of.1"),
        ({"missing": "one"}, "PARAMETER_RANGE", "missing"),
    ],
)
def test_problems(step: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(changed(**step))


def test_names_that_are_taken() -> None:
    aggregate = {
        "op": "aggregate",
        "input": "s",
        "window": WINDOW,
        "measures": {"n": "count()", "n_delta": "sum(x)"},
    }
    plan = planned({"stats": aggregate, "step": {"op": "change", "input": "stats", "of": ["n"]}})
    assert found(plan) == [("NAME_TAKEN", "steps.step.of")]


def test_missing_is_null_by_itself() -> None:
    assert changed(missing=None).node("step").bound == changed(missing="null").node("step").bound


def test_the_fingerprint_covers_the_aggregate_and_the_choice_of_measures() -> None:
    assert changed().fingerprint != changed(of=["n", "total"]).fingerprint
    assert changed().fingerprint != changed({"tumbling": {"size": "20s"}}).fingerprint
    assert changed().fingerprint == changed(missing="zero").fingerprint
