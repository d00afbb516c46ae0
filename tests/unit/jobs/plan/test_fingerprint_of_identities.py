"""What stateless steps make of the identity of rows is part of the state that keeps identities: Spark refuses
to read it again as another, and operators of ours would read other bytes.
"""

from typing import Any

import pytest

from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.measure_sql import measure_sql
from jobs.operators.measures import MEASURES
from jobs.plan import Plan, diff, empty_measures, kept_state, plan_job
from tests.support.plan_helpers import contract, planned

Steps = dict[str, Any]

FIELDS = {"k": "string", "x": "int", "tags": "array<string>", "numbers": "array<int>"}
KEPT: Steps = {"op": "filter", "where": "x > 0"}
EACH: Steps = {"op": "explode", "field": "tags", "as": "tag"}
SELECTED: Steps = {"op": "select", "fields": ["k", "x"]}


def above(one: Steps, *, union: bool = False, twice: bool = False, name: str = "one") -> Steps:
    """Steps that end in `rows`: of one stateless step, of two, or of a union of it with another."""
    steps: Steps = {name: {**one, "input": "s"}}
    if twice:
        steps["two"] = {"op": "explode", "input": name, "field": "numbers", "as": "number"}
    if union:
        steps |= {
            "other": {"op": "filter", "input": "s", "where": "x > 1"},
            "both": {"op": "union", "inputs": [name, "other"]},
        }
    return {**steps, "rows": {**SELECTED, "input": list(steps)[-1]}}


ABOVE: dict[str, Steps] = {
    "a filter": above(KEPT),
    "an explode": above(EACH),
    "two explodes": above(EACH, twice=True),
    "a union": above(KEPT, union=True),
    "a union with an explode": above(EACH, union=True),
    "a union of another name": above(KEPT, union=True, name="uno"),
}

STATES: dict[str, Steps] = {
    "latest": {"op": "latest", "input": "rows", "by": ["k"]},
    "latest by offset": {"op": "latest", "input": "rows", "by": ["k"], "order": "offset"},
    "latest with a ttl": {"op": "latest", "input": "rows", "by": ["k"], "ttl": "10s"},
    "throttle": {"op": "throttle", "input": "rows", "by": ["k"], "every": "10s"},
    "sliding": {
        "op": "aggregate",
        "input": "rows",
        "window": {"sliding": {"size": "5s"}},
        "by": ["k"],
        "measures": {"n": "count()"},
    },
    "join": {
        "op": "join",
        "left": "r",
        "right": "rows",
        "on": {"k": "k"},
        "between": {"after": "5s"},
        "prefix": "r_",
    },
    "anti": {
        "op": "join",
        "left": "rows",
        "right": "r",
        "type": "anti",
        "on": {"k": "k"},
        "between": {"after": "5s"},
    },
    "as of": {
        "op": "table_join",
        "input": "rows",
        "table": "t",
        "on": {"k": "k"},
        "version": "as_of",
        "prefix": "t_",
    },
}
NEXT: Steps = {"op": "aggregate", "input": "state", "measures": {"n": "count()"}}
"""Without it the identity of the result would tell most edits."""
NO_MORE = ("latest", "latest by offset", "latest with a ttl")


def plan_of(steps: Steps) -> Plan:
    text = str(steps)
    sources = {"s": {"stream": "s"}}
    sources |= {"r": {"stream": "r"}} if "'r'" in text else {}
    sources |= {"t": {"table": "t"}} if "'t'" in text else {}
    document = {
        "format": 1,
        "name": "identities",
        "sources": sources,
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    stream = contract(fields=FIELDS)
    table = contract(kind="table", key=["k"], fields={"k": "string", "v": "int"})
    plan = plan_job(document, {"s": stream, "r": stream, "t": table})
    assert plan.ok, plan.problems
    return plan


def with_state(name: str, upstream: Steps) -> Plan:
    more = {} if name in NO_MORE else {"next": NEXT}
    return plan_of({**upstream, "state": STATES[name], **more})


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("old", ABOVE)
@pytest.mark.parametrize("new", ABOVE)
def test_state_with_identities_goes_on_only_with_the_same_ones(state: str, old: str, new: str) -> None:
    if state == "latest by offset" and "union" in f"{old} {new}":
        return  # refused: a union of one source's rows has no offsets
    verdict = diff(with_state(state, ABOVE[old]), with_state(state, ABOVE[new]))
    assert verdict.same_state == (old == new)
    assert any(change.breaks_state for change in verdict.changes) == (old != new)


def test_what_keeps_keys_only_goes_on() -> None:
    once = {"op": "deduplicate", "input": "rows", "by": ["k"], "within": "1m"}
    semi = {**STATES["anti"], "type": "semi", "left": "r", "right": "rows"}
    for step in (once, semi, {**NEXT, "input": "rows"}):
        old, new = (plan_of({**ABOVE[name], "state": step}) for name in ("a filter", "an explode"))
        assert diff(old, new).same_state, step


@pytest.mark.parametrize("new", ["an explode", "a union with an explode"])
def test_measures_that_keep_the_order_of_rows_begin_empty(new: str) -> None:
    step = {"op": "aggregate", "input": "rows", "by": ["k"], "measures": {"n": "count()", "x": "first(x)"}}
    old = "a filter" if new == "an explode" else "a union"
    before, after = (plan_of({**ABOVE[name], "state": step}) for name in (old, new))
    empty = empty_measures(kept_state(before), after)
    assert empty is not None
    assert [one.measure for one in empty] == ["x"]


@pytest.mark.parametrize("name", MEASURES)
def test_the_table_of_measures_says_which_keep_the_order_of_rows(name: str) -> None:
    numbers, texts = ("amount", "n", "price", "size"), ("page", "symbol", "user", "word")
    fields = dict.fromkeys(numbers, "int") | dict.fromkeys(texts, "string")
    measures = {"m": MEASURES[name].example}
    plan = planned({"all": {"op": "aggregate", "input": "s", "measures": measures}}, fields=fields)
    bound = plan.node("all").bound
    assert isinstance(bound, AggregateBound)
    text = measure_sql(bound.measures[0], ("_time", "_offset"))
    assert ("_offset" in text) == MEASURES[name].keeps_order


@pytest.mark.parametrize("steps", [{}, {"kept": {**KEPT, "input": "rows"}}])
def test_a_batch_that_is_repeated_writes_its_rows_under_the_names_of_before(steps: Steps) -> None:
    """The name of a union's input is part of a result's key: under another, its rows would be doubled."""
    before, after = (plan_of({**above(KEPT, union=True, name=name), **steps}) for name in ("one", "uno"))
    found = diff(before, after)
    assert not found.same_state
    assert [change.sentence for change in found.changes if change.breaks_state] == [
        "Step one renamed to uno. A union identifies rows by this name."
    ]


def test_a_batch_that_is_repeated_into_an_exchange_is_known_by_the_names_of_before() -> None:
    def of(name: str) -> Plan:
        windows = {
            "op": "aggregate",
            "input": "s",
            "by": ["k"],
            "measures": {"n": "count()"},
            "emit": "final",
        }
        return plan_of(
            {
                name: {**windows, "window": {"tumbling": {"size": "5s"}}},
                "b": {**windows, "window": {"tumbling": {"size": "7s"}}},
                "m": {"op": "union", "inputs": [name, "b"]},
                "all": {"op": "aggregate", "input": "m", "by": ["k"], "measures": {"c": "count()"}},
            }
        )

    before, after = of("a"), of("hourly")
    assert before.has_exchange
    found = diff(before, after)
    assert not found.same_state
    assert [change.sentence for change in found.changes if change.breaks_state] == [
        "Step a renamed to hourly. A union identifies rows by this name."
    ]


def test_measures_that_keep_the_order_of_rows_begin_empty_with_another_time() -> None:
    def of(time: str) -> Plan:
        join = {"op": "join", "left": "s", "right": "r", "on": {"k": "k"}, "prefix": "r_"}
        return plan_of(
            {
                "pairs": {**join, "between": {"after": "1h"}, "time": time},
                "all": {
                    "op": "aggregate",
                    "input": "pairs",
                    "by": ["k"],
                    "measures": {"n": "count()", "l": "last(x)"},
                },
            }
        )

    empty = empty_measures(kept_state(of("later")), of("left"))
    assert empty is not None
    assert [one.measure for one in empty] == ["l"]


def swapped(steps: Steps) -> Steps:
    return {**steps, "both": {**steps["both"], "inputs": steps["both"]["inputs"][::-1]}}


@pytest.mark.parametrize("state", ["sliding", "join", "anti", "as of", None])
def test_inputs_of_a_union_may_be_listed_in_another_order(state: str | None) -> None:
    before = above(KEPT, union=True)
    more = {"state": STATES[state]} if state is not None else {}
    assert diff(plan_of({**before, **more}), plan_of({**swapped(before), **more})).same_state


PAIRS: Steps = {**STATES["join"], "left": "rows", "right": "r"}


@pytest.mark.parametrize(
    "steps",
    [
        {"state": STATES["latest"]},
        {"state": STATES["latest with a ttl"]},
        {"state": STATES["throttle"]},
        {"state": {**STATES["sliding"], "measures": {"n": "count()", "x": "first(x)"}}},
        {"pairs": PAIRS, "state": {**STATES["latest"], "input": "pairs"}},
    ],
)
def test_but_not_where_state_keeps_the_order_of_rows(steps: Steps) -> None:
    """Identities hold a column for each input, in the order of the list."""
    before = above(KEPT, union=True)
    found = diff(plan_of({**before, **steps}), plan_of({**swapped(before), **steps}))
    assert not found.same_state
    assert [change.sentence for change in found.changes if change.breaks_state] == [
        "both: inputs one, other → other, one. Saved rows are compared in this order."
    ]


def test_measures_that_keep_the_order_of_rows_begin_empty_with_another_order_of_inputs() -> None:
    step = {"op": "aggregate", "input": "rows", "by": ["k"], "measures": {"n": "count()", "x": "first(x)"}}
    before = above(KEPT, union=True)
    old, new = (plan_of({**steps, "state": step}) for steps in (before, swapped(before)))
    empty = empty_measures(kept_state(old), new)
    assert empty is not None
    assert [one.measure for one in empty] == ["x"]


def test_the_order_of_inputs_does_not_count_behind_a_step_with_keys_of_its_own() -> None:
    before = above(KEPT, union=True)
    once = {"op": "deduplicate", "input": "rows", "by": ["k"], "within": "exact"}
    steps = {"once": once, "state": {**STATES["throttle"], "input": "once"}}
    assert diff(plan_of({**before, **steps}), plan_of({**swapped(before), **steps})).same_state


def test_a_name_that_no_identity_begins_with_may_change() -> None:
    """Rows of two sources cannot collide."""

    def of(name: str) -> Plan:
        steps = {
            name: {**KEPT, "input": "s"},
            "both": {"op": "union", "inputs": [name, "r"]},
            "state": {"op": "latest", "input": "both", "by": ["k"]},
        }
        return plan_of(steps)

    assert diff(of("one"), of("uno")).same_state
