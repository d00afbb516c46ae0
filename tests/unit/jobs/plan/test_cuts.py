"""Cuts: where one output needs final and updated results, what passes from one stage to the other, and what edits of it mean."""

from typing import Any

import pytest

from jobs.plan import Plan, diff
from jobs.plan.forecast import forecast
from tests.support.plan_helpers import planned

FINAL = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()", "top": "max(x)"},
    "emit": "final",
}
ALL = {"op": "aggregate", "input": "windows", "by": ["k"], "measures": {"windows": "count()", "rows": "sum(n)"}}
STEPS: dict[str, Any] = {"windows": FINAL, "all": ALL}


def outputs(result: str, **topics: str) -> dict[str, Any]:
    more = {name: {"input": reference, "to": {"topic": name}} for name, reference in topics.items()}
    return {"outputs": {"out": {"input": result, "to": "result"}, **more}}


def shown(plan: Plan) -> list[tuple[str, list[str], list[str], list[str], list[str]]]:
    assert plan.ok, plan.problems
    return [(s["name"], s["outputs"], s["nodes"], s["passes"], s["reads"]) for s in plan.as_json()["stages"]]


def cuts(plan: Plan) -> list[str]:
    return [reference for _, _, _, _, reads in shown(plan) for reference in reads]


def test_the_stage_of_final_rows_passes_them_on_and_comes_first() -> None:
    plan = planned(STEPS, **outputs("all"))
    assert shown(plan) == [("final", [], ["s", "windows"], ["windows"], []), ("updates", ["out"], ["all"], [], ["windows"])]
    assert [stage.reason for stage in plan.stages] == [
        "windows gives each result once, when it can no longer change; a query that writes results again cannot do that.",
        "all writes a result again whenever it changes; a query that gives each result once cannot do that. "
        "The rows of windows come from the other query, through a topic of the job's own.",
    ]
    assert (plan.mode.mode, plan.slots, plan.outputs) == ("microbatch", 2, ("all",))
    assert plan.passed == {"windows": ("k", "n")}


def test_row_by_row_steps_stand_above_the_cut_and_share_the_state_of_an_output_beside_it() -> None:
    few = {"op": "filter", "input": "windows", "where": "n < 3"}
    plan = planned({"windows": FINAL, "few": few, "all": {**ALL, "input": "few"}}, **outputs("all", windows="windows"))
    assert shown(plan) == [
        ("final", ["windows"], ["s", "windows", "few"], ["few"], []),
        ("updates", ["out"], ["all"], [], ["few"]),
    ]
    (group,) = plan.stages[0].groups
    assert (group.root, [sink.name for sink in group.sinks]) == ("windows", ["windows", "few"])
    alone = planned({"windows": FINAL}, **outputs("windows"))
    kept, kept_alone = (forecast(found, {"s": 10.0}, {}) for found in (plan, alone))
    assert [state.rows for state in kept if state.step == "windows"] == [state.rows for state in kept_alone]


def test_rows_that_may_be_late_are_read_from_their_source_and_never_pass_a_cut() -> None:
    visits = {"op": "aggregate", "input": "s", "window": {"session": {"gap": "5s"}}, "by": ["k"], "measures": {"n": "count()"}}
    steps = {
        "visits": visits,
        "both": {"op": "union", "inputs": ["visits", "s"]},
        "rows": {"op": "aggregate", "input": "both", "by": ["k"], "measures": {"rows": "count()"}},
    }
    assert shown(planned(steps, **outputs("rows"))) == [
        ("final", [], ["s", "visits"], ["visits"], []),
        ("updates", ["out"], ["s", "both", "rows"], [], ["visits"]),
    ]


@pytest.mark.parametrize(
    "step",
    [
        {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1m"},
        {"op": "aggregate", "input": "s", "window": {"sliding": {"size": "5s"}}, "by": ["k"], "measures": {"n": "count()"}},
        {"op": "aggregate", "input": "s", "window": {"session": {"gap": "5s"}}, "by": ["k"], "measures": {"n": "count()"}},
    ],
)
def test_what_gives_each_row_once_is_cut_off_what_updates(step: dict[str, Any]) -> None:
    for below in ({"op": "latest", "by": ["k"]}, {**FINAL, "emit": "update", "measures": {"m": "count()"}}):
        assert cuts(planned({"once": step, "all": {**below, "input": "once"}}, **outputs("all"))) == ["once"]


def test_a_job_of_two_independent_parts_has_two_cuts() -> None:
    steps = {**STEPS, "more": FINAL, "last": {"op": "latest", "input": "more", "by": ["k"]}}
    plan = planned(steps, **outputs("all", last="last"))
    assert cuts(plan) == ["windows", "more"]
    assert [sink.cut for sink in plan.stages[0].passes] == [0, 1]


def edited(**more: dict[str, Any]) -> Plan:
    return planned({**STEPS, **more}, **outputs("all"))


def test_the_fingerprint_covers_what_passes_a_cut() -> None:
    running = edited()
    renamed = planned({"closed": FINAL, "all": {**ALL, "input": "closed"}}, **outputs("all"))
    unread = edited(windows={**FINAL, "measures": {"n": "count()", "top": "max(x)"}})
    assert renamed.fingerprint == unread.fingerprint == running.fingerprint
    assert diff(running, edited(few={"op": "filter", "input": "s", "where": "x > 0"})).same_state
    lean = {"windows": {**FINAL, "measures": {"n": "count()"}}, "all": ALL}
    assert diff(planned(lean, **outputs("all")), planned(lean, **outputs("all", windows="windows"))).same_state
    wider = diff(running, edited(windows={**FINAL, "window": {"tumbling": {"size": "20s"}}}))
    assert (wider.outcome, [c.path for c in wider.changes if c.breaks_state]) == ("new_generation", [("steps", "windows", "window")])


def test_fields_that_pass_a_cut_under_other_names_could_not_be_read() -> None:
    def through(name: str) -> Plan:
        few = {"op": "select", "input": "windows", "fields": {"k": "k", name: "n"}}
        measures = {"windows": "count()", "rows": f"sum({name})"}
        return planned({"windows": FINAL, "few": few, "all": {**ALL, "input": "few", "measures": measures}}, **outputs("all"))

    verdict = diff(through("n"), through("m"))
    assert verdict.outcome == "new_generation"
    assert any("could not be read" in change.sentence for change in verdict.changes if change.breaks_state)
