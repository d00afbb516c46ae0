"""Which edits stored state is adapted to, which measures begin empty then, and which edits reset it."""

from typing import Any

import pytest

from jobs.plan import Plan, empty_measures, empty_measures_text, kept_state, plan_job
from tests.support.plan_helpers import contract

Steps = dict[str, Any]

TUMBLING = {"tumbling": {"size": "10s"}}
SUMS: Steps = {
    "op": "aggregate",
    "input": "s",
    "window": TUMBLING,
    "by": ["k"],
    "measures": {"n": "count()", "total": "sum(x)"},
}
FINAL: Steps = {**SUMS, "emit": "final"}
LARGER: Steps = {
    "op": "aggregate",
    "input": "sums",
    "window": {"tumbling": {"size": "1m"}},
    "by": ["k"],
    "measures": {"most": "max(total)"},
    "emit": "final",
}
SESSION: Steps = {**FINAL, "window": {"session": {"gap": "5s"}}}
SLIDING: Steps = {**FINAL, "window": {"sliding": {"size": "5s"}}}


def plan_of(steps: Steps, **more: Any) -> Plan:
    document = {
        "format": 1,
        "name": "kept",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
        **more,
    }
    plan = plan_job(document, {"s": contract()})
    assert plan.ok, plan.problems
    return plan


def sums(of: Steps = SUMS, **measures: str) -> Steps:
    return {"sums": {**of, "measures": measures}}


def named(old: Steps, new: Steps) -> list[str] | None:
    empty = empty_measures(kept_state(plan_of(old)), plan_of(new))
    return None if empty is None else [f"{one.step}.{one.measure}" for one in empty]


@pytest.mark.parametrize("step", [SUMS, FINAL, SESSION, {**SUMS, "window": None}], ids=str)
@pytest.mark.parametrize(
    ("title", "measures", "empty"),
    [
        ("nothing", {"n": "count()", "total": "sum(x)"}, []),
        ("one in front", {"most": "max(x)", "n": "count()", "total": "sum(x)"}, ["sums.most"]),
        ("one behind", {"n": "count()", "total": "sum(x)", "most": "max(x)"}, ["sums.most"]),
        ("one less", {"total": "sum(x)"}, []),
        ("another order", {"total": "sum(x)", "n": "count()"}, []),
        ("another definition", {"n": "count()", "total": "sum(x) where x > 1"}, ["sums.total"]),
        ("another name", {"n": "count()", "sum": "sum(x)"}, []),
        ("exchanged names", {"total": "count()", "n": "sum(x)"}, []),
        ("the same twice", {"n": "count()", "total": "sum(x)", "again": "sum(x)"}, []),
        ("all others", {"most": "max(x)"}, ["sums.most"]),
    ],
    ids=str,
)
def test_state_goes_on_with_other_measures(
    step: Steps, title: str, measures: dict[str, str], empty: list[str]
) -> None:
    step = {name: value for name, value in step.items() if value is not None}
    assert named({"sums": step}, sums(step, **measures)) == empty, title


@pytest.mark.parametrize(
    "edit",
    [
        {"window": {"tumbling": {"size": "20s"}}},
        {"grace": "1s"},
        {"by": ["k", "id"]},
        {"emit": "final"},
    ],
    ids=str,
)
def test_with_anything_else_changed_it_is_reset(edit: Steps) -> None:
    added = sums(most="max(x)", **SUMS["measures"])
    assert named({"sums": SUMS}, {"sums": {**added["sums"], **edit}}) is None


def test_sliding_windows_and_compared_aggregates_are_reset() -> None:
    more = {**SUMS["measures"], "most": "max(x)"}
    assert named({"sums": SLIDING}, sums(SLIDING, **more)) is None
    change = {"op": "change", "input": "sums", "of": ["n"]}
    compared = {**SUMS, "by": ["k"]}
    assert named({"sums": compared, "step": change}, {**sums(compared, **more), "step": change}) is None


def test_a_measure_that_later_state_depends_on_resets_it() -> None:
    old = {"sums": FINAL, "larger": LARGER}
    beside = {**sums(FINAL, n="count()", total="sum(x)", most="max(x)"), "larger": LARGER}
    assert named(old, beside) == [], "nothing reads it, so it is not stored"
    assert named(old, {**sums(FINAL, total="sum(x)"), "larger": LARGER}) == []
    changed = {**sums(FINAL, n="count()", total="sum(x) where x > 1"), "larger": LARGER}
    assert named(old, changed) == ["sums.total", "larger.most"], "what it is the most of is another thing"
    latest = {"op": "latest", "input": "sums", "by": ["k"]}
    kept = {"sums": FINAL, "latest": latest}
    more = {**sums(FINAL, most="max(x)", **SUMS["measures"]), "latest": latest}
    assert named(kept, more) is None, "latest keeps whole rows"


def test_both_aggregates_of_a_chain_may_change() -> None:
    old = {"sums": FINAL, "larger": LARGER}
    more = {**LARGER, "measures": {"most": "max(total)", "least": "min(total)", "rows": "sum(n)"}}
    assert named(old, {"sums": FINAL, "larger": more}) == ["sums.n", "larger.least", "larger.rows"]


def test_rows_on_their_way_between_two_queries_stay_as_they_are() -> None:
    updated = {**LARGER, "emit": "update"}
    old = {"sums": FINAL, "larger": updated}
    more = {**updated, "measures": {"most": "max(total)", "least": "min(total)"}}
    assert named(old, {"sums": FINAL, "larger": more}) == ["larger.least"]
    more = {**updated, "measures": {"most": "max(total)", "rows": "sum(n)"}}
    assert named(old, {"sums": FINAL, "larger": more}) is None, "it reads a field that no waiting row has"


def test_a_step_may_have_another_name() -> None:
    renamed = {"totals": sums(most="max(x)", **SUMS["measures"])["sums"]}
    assert named({"sums": SUMS}, renamed) == ["totals.most"]


def test_state_without_a_layout_is_reset() -> None:
    kept = kept_state(plan_of({"sums": SUMS}))
    old = type(kept)(kept.fingerprint, "", [])
    assert empty_measures(old, plan_of({"sums": SUMS})) == ()
    assert empty_measures(old, plan_of(sums(n="count()"))) is None


def test_what_people_read() -> None:
    def text(old: Steps, new: Steps) -> str:
        plan = plan_of(new)
        return empty_measures_text(plan, empty_measures(kept_state(plan_of(old)), plan) or ())

    more = {**SUMS["measures"], "most": "max(x)"}
    windowless = {name: value for name, value in SUMS.items() if name != "window"}
    assert text({"sums": SUMS}, sums(**more)) == (
        "Measure sums.most starts empty: windows open at the restart are marked partial."
    )
    assert text({"sums": SUMS}, sums(**more, least="min(x)")) == (
        "Measures sums.most, sums.least start empty: windows open at the restart are marked partial."
    )
    assert text({"sums": windowless}, sums(windowless, **more)) == (
        "Measure sums.most starts empty: only records after the restart count."
    )
    assert text({"sums": SUMS}, {"sums": SUMS}) == ""
