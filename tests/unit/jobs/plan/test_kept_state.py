"""Which edits stored state is adapted to, which measures begin empty then, and which edits reset it."""

from typing import Any

import pytest

from jobs.plan import Plan, diff, empty_measures, empty_measures_text, kept_state, plan_job
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
JOIN: Steps = {
    "op": "join",
    "left": "s",
    "right": "r",
    "on": {"k": "k"},
    "between": {"before": "5s", "after": "5s"},
    "prefix": "r_",
}
KEYS = ["window_start", "window_end", "k"]
SOURCES: Steps = {"s": {"stream": "s"}, "r": {"stream": "s"}}


def plan_of(steps: Steps, **more: Any) -> Plan:
    document = {
        "format": 1,
        "name": "kept",
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
        **more,
    }
    table = contract(kind="table", key=["id"], fields={"id": "string!", "k": "string"})
    plan = plan_job(document, {"s": contract(), "t": table})
    assert plan.ok, plan.problems
    return plan


def sums(of: Steps = SUMS, **measures: str) -> Steps:
    return {"sums": {**of, "measures": measures}}


def named(old: Steps, new: Steps, **more: Any) -> list[str] | None:
    empty = empty_measures(kept_state(plan_of(old, **more)), plan_of(new, **more))
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


def topics(*steps: str) -> Steps:
    """The first step is the result, the others are written to topics."""
    return {
        name: {"input": name, "to": {"topic": f"of_{name}"} if at else "result"}
        for at, name in enumerate(steps)
    }


@pytest.mark.parametrize(
    "measures",
    [
        {"a": "sum(x)", "b": "sum(n)", "rows": "count()", "most": "max(x)"},
        {"b": "sum(n)", "a": "sum(x)", "rows": "count()"},
        {"a": "sum(x) where x > 1", "b": "sum(n)", "rows": "count()"},
    ],
    ids=["added", "reordered", "replaced"],
)
def test_what_change_compares_is_reset_although_something_else_reads_it(measures: dict[str, str]) -> None:
    """Its own aggregation keeps all measures that it gives, and nothing can adapt that."""
    change = {"op": "change", "input": "sums", "of": ["rows"]}
    old = {**sums(a="sum(x)", b="sum(n)", rows="count()"), "diff": change}
    outputs = topics("diff", "sums")
    assert named(old, old, outputs=outputs) == []
    assert named(old, {**sums(**measures), "diff": change}, outputs=outputs) is None


def test_what_is_left_out_of_a_change_may_be_another_measure() -> None:
    def steps(shown: str, **measures: str) -> Steps:
        change = {"op": "change", "input": "sums", "of": ["rows"]}
        only = {"op": "select", "input": "diff", "fields": [*KEYS, shown, "rows_delta"]}
        return {**sums(**measures), "diff": change, "shown": only}

    old = {"a": "sum(x)", "b": "sum(n)", "rows": "count()"}
    outputs = topics("shown", "sums")
    assert named(steps("a", **old), steps("b", **old), outputs=outputs) is None, "stored a is not b"
    more = {**old, "most": "max(x)"}
    assert named(steps("a", **old), steps("a", **more), outputs=outputs) == ["sums.most"]


def test_two_changes_keep_what_each_of_them_shows() -> None:
    def steps(shown: str) -> Steps:
        return {
            **sums(a="sum(y)", b="sum(y) where x > 1"),
            "one": {"op": "change", "input": "sums", "of": ["a", "b"]},
            "shown": {"op": "select", "input": "one", "fields": [*KEYS, shown]},
            "two": {"op": "change", "input": "sums", "of": ["a"]},
        }

    outputs = topics("shown", "two")
    assert named(steps("a_delta"), steps("b_delta"), outputs=outputs) is None
    assert named(steps("a_delta"), steps("a_delta"), outputs=outputs) == []


@pytest.mark.parametrize("emit", ["final", "update"])
def test_a_join_keeps_for_each_output_what_that_reads(emit: str) -> None:
    """The other output reads all fields, so that what all outputs together read of the join stays."""

    def steps(**measures: str) -> Steps:
        totals = {**SUMS, "input": "joined", "emit": emit, "measures": measures}
        windows = {"op": "aggregate", "input": "joined", "window": TUMBLING, "by": ["k"]}
        other = {**windows, "measures": {"n": "count()"}, "emit": "final" if emit == "update" else "update"}
        return {"joined": JOIN, "totals": totals, "other": other}

    more = {"sources": SOURCES, "outputs": topics("totals", "other", "joined")}
    assert len(plan_of(steps(total="sum(x)"), **more).queries) == 2
    assert named(steps(total="sum(x)"), steps(total="sum(x)"), **more) == []
    assert named(steps(total="sum(x)"), steps(total="sum(n)"), **more) is None
    assert named(steps(total="sum(x)"), steps(total="sum(x)", more="sum(n)"), **more) is None
    assert named(steps(total="sum(x)"), steps(total="max(x)"), **more) == ["totals.total"]


def test_a_join_keeps_no_field_for_a_measure_that_nothing_reads() -> None:
    def steps(shown: str) -> Steps:
        totals = {**FINAL, "input": "joined", "measures": {"a": "sum(x)", "b": "sum(n)"}}
        return {
            "joined": JOIN,
            "totals": totals,
            "shown": {"op": "select", "input": "totals", "fields": [*KEYS, shown]},
        }

    assert named(steps("a"), steps("b"), sources=SOURCES) is None


def test_keys_of_one_type_are_not_read_as_each_other() -> None:
    """A join's rows hold a key only where something reads it of a pair."""
    join = {**JOIN, "on": {"k": "k", "id": "id"}}

    def steps(*fields: str) -> Steps:
        return {"joined": join, "shown": {"op": "select", "input": "joined", "fields": ["x", *fields]}}

    assert named(steps("k"), steps("id"), sources=SOURCES) is None
    assert named(steps("k", "id"), steps("id", "k"), sources=SOURCES) == []
    assert not plan_of(steps("k", "id"), sources=SOURCES).state.copies


def test_a_filter_behind_a_join_may_be_the_only_one_that_reads_a_key() -> None:
    def plan(condition: str) -> Plan:
        kept = {"op": "filter", "input": "joined", "where": condition}
        shown = {"op": "select", "input": "kept", "fields": ["x"]}
        join = {**JOIN, "on": {"k": "k", "id": "id"}}
        return plan_of({"joined": join, "kept": kept, "shown": shown}, sources=SOURCES)

    verdict = diff(plan("k = 'a'"), plan("id = 'a'"))
    assert [change.sentence for change in verdict.changes if change.breaks_state] == [
        "What outputs read of a join or a change is different. State exists only for used fields."
    ]


@pytest.mark.parametrize("measure", ["max(r_k)", "first(x)", "sum(x)"])
def test_keys_and_identities_are_in_a_joins_rows_only_where_they_are_read(measure: str) -> None:
    def steps(total: str) -> Steps:
        return {"joined": JOIN, "totals": {**FINAL, "input": "joined", "measures": {"total": total}}}

    # Of one field, so that what the meaning of the join says is the same.
    old, new = "max(x)", measure
    expected = ["totals.total"] if measure == "sum(x)" else None
    assert named(steps(old), steps(new), sources=SOURCES) == expected
    assert named(steps(new), steps(old), sources=SOURCES) == expected


def test_a_measure_begins_empty_where_only_another_output_had_read_it() -> None:
    names = {"op": "table_join", "input": "sums", "table": "t", "on": {"k": "k"}, "broadcast": {}}

    def steps(*shown: str) -> Steps:
        return {
            "sums": FINAL,
            "named": {**names, "prefix": "t_"},
            "shown": {"op": "select", "input": "named", "fields": [*KEYS, *shown]},
        }

    more = {"sources": {"s": {"stream": "s"}, "t": {"table": "t"}}, "outputs": topics("shown", "sums")}
    old, new = (plan_of(steps(*shown), **more) for shown in (("n",), ("n", "total")))
    assert old.fingerprint == new.fingerprint
    assert named(steps("n"), steps("n", "total"), **more) == ["sums.total"]
    assert named(steps("n", "total"), steps("n"), **more) == []
    assert named(steps("n"), steps("n"), **more) == []
    # As it was kept before it was kept of each state.
    kept = kept_state(old)
    of_all = [sorted(set(old.state.measures["sums"].values()))]
    assert empty_measures(type(kept)(kept.fingerprint, kept.base_fingerprint, of_all), new) == ()


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
