"""The split into queries: which outputs one query computes, why, and what that means for state, slots and
edits.
"""

from typing import Any

import pytest

from jobs.plan import Plan, diff
from jobs.plan.forecast import forecast
from tests.support.plan_helpers import planned

COUNTS = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}
WINDOWED = {**COUNTS, "window": {"tumbling": {"size": "10s"}}}
FINAL = {**WINDOWED, "emit": "final"}
ONCE = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1m"}
EXACT = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "exact"}


def outputs(result: str, **topics: str) -> dict[str, Any]:
    more = {name: {"input": reference, "to": {"topic": name}} for name, reference in topics.items()}
    return {"outputs": {**more, "out": {"input": result, "to": "result"}}}


def shown(plan: Plan) -> list[tuple[str, list[str], list[str]]]:
    assert plan.ok, plan.problems
    return [(query["name"], query["outputs"], query["nodes"]) for query in plan.as_json()["queries"]]


@pytest.mark.parametrize(("emit", "mode"), [("update", "update"), ("final", "append")])
def test_most_jobs_have_one_query(emit: str, mode: str) -> None:
    plan = planned({"counts": {**WINDOWED, "emit": emit}}, **outputs("counts", all="s"))
    assert shown(plan) == [(mode, ["out", "all"], ["s", "counts"])]
    (query,) = plan.queries
    assert (query.output_mode, query.reason, plan.slots) == (mode, "", 1 if emit == "final" else plan.slots)
    assert plan.for_query(query) == plan


def test_rows_alone_need_one_query() -> None:
    assert [query.output_mode for query in planned({}, **outputs("s")).queries] == ["update"]


def test_final_and_updated_results_need_two_queries() -> None:
    plan = planned({"counts": WINDOWED, "finals": FINAL}, **outputs("finals", counts="counts"))
    assert shown(plan) == [("append", ["out"], ["s", "finals"]), ("update", ["counts"], ["s", "counts"])]
    assert [query.reason for query in plan.queries] == [
        "finals emits final results only, so it needs its own query (append mode).",
        "counts updates results, so it needs its own query (update mode).",
    ]
    assert (plan.mode.mode, plan.slots) == ("microbatch", 2)
    part = plan.for_query(plan.queries[1])
    assert (part.live, part.streaming, part.outputs) == ({"s", "counts"}, {"s", "counts"}, ("counts",))
    assert [sink.name for sink in part.sinks] == ["counts"]


def test_the_query_of_the_result_comes_first() -> None:
    steps = {"counts": WINDOWED, "finals": FINAL}
    assert [query.name for query in planned(steps, **outputs("counts", finals="finals")).queries] == [
        "update",
        "append",
    ]


def test_real_time_mode_names_the_step_that_refuses() -> None:
    steps = {"counts": WINDOWED, "finals": FINAL}
    plan = planned(steps, **outputs("counts", finals="finals"), settings={"mode": "realtime"})
    assert "finals" in plan.problems[0].message
    assert {problem.code for problem in plan.problems} == {"MODE_NOT_POSSIBLE"}


def test_an_output_that_could_stand_in_both_stands_where_its_state_is_already() -> None:
    steps = {"once": EXACT, "counts": WINDOWED, "finals": {**FINAL, "input": "once"}}
    plan = planned(steps, **outputs("counts", finals="finals", rows="once", raw="s"))
    assert shown(plan) == [
        ("update", ["out", "raw"], ["s", "counts"]),
        ("append", ["finals", "rows"], ["s", "once", "finals"]),
    ]


def test_a_step_upstream_of_both_is_part_of_both_and_keeps_its_state_twice() -> None:
    steps = {"once": EXACT, "counts": {**WINDOWED, "input": "once"}, "finals": {**FINAL, "input": "once"}}
    plan = planned(steps, **outputs("counts", finals="finals"))
    assert [nodes for _, _, nodes in shown(plan)] == [["s", "once", "counts"], ["s", "once", "finals"]]
    alone = planned({"once": EXACT}, **outputs("once"))
    rates = {"s": 10.0}
    (kept,) = (state for state in forecast(plan, rates, {}) if state.step == "once")
    (kept_alone,) = forecast(alone, rates, {})
    assert kept.rows is not None
    assert kept_alone.rows is not None
    assert kept.rows == 2 * kept_alone.rows
    assert sum(state.step == "counts" for state in forecast(plan, rates, {})) == 1


def test_late_rows_stand_with_their_step() -> None:
    late = {**FINAL, "late": "dead_letter"}
    plan = planned(
        {"counts": WINDOWED, "finals": late}, **outputs("counts", finals="finals", late="finals.late")
    )
    assert [names for _, names, _ in shown(plan)] == [["out"], ["finals", "late"]]


def test_outputs_that_need_no_exchange_have_none() -> None:
    apart = planned({"once": ONCE, "counts": WINDOWED}, **outputs("counts", once="once"))
    assert [name for name, _, _ in shown(apart)] == ["update", "append"]
    assert not apart.has_exchange


def test_the_fingerprint_covers_all_queries() -> None:
    steps = {"counts": WINDOWED, "finals": FINAL}
    running = planned(steps, **outputs("counts", finals="finals"))

    def edited(**more: Any) -> Plan:
        return planned({**steps, **more}, **outputs("counts", finals="finals"))

    assert edited(few={"op": "filter", "input": "s", "where": "x > 0"}).fingerprint == running.fingerprint
    for name in steps:
        wider = diff(running, edited(**{name: {**steps[name], "window": {"tumbling": {"size": "20s"}}}}))
        assert [change.path for change in wider.changes if change.breaks_state] == [("steps", name, "window")]


def test_another_split_is_a_new_generation_and_says_so() -> None:
    one = planned({"counts": WINDOWED, "more": WINDOWED}, **outputs("counts", more="more"))
    two = planned({"counts": WINDOWED, "more": FINAL}, **outputs("counts", more="more"))
    verdict = diff(one, two)
    assert verdict.outcome == "new_generation"
    assert verdict.changes[-1].sentence == "The split into queries changed."
    assert diff(two, two).same_state
