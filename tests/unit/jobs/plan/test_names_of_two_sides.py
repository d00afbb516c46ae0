"""One name on two sides of a step: what is read, what it is made of, and what it means, is said of the right
one.
"""

from typing import Any

import pytest

from jobs.plan import Plan, SourceBound, plan_job
from jobs.plan.lineage import output_lineage
from tests.support.plan_helpers import contract, document

BOTH = {"k": "string", "carrier": "string", "x": "int"}
SOURCES = {"l": {"stream": "l"}, "r": {"stream": "r"}}
JOIN = {"op": "join", "left": "l", "right": "r", "on": {"k": "k"}, "between": {"after": "5s"}}


def plan_of(steps: dict[str, Any], right: dict[str, str] = BOTH, left: dict[str, str] = BOTH) -> Plan:
    plan = plan_job(document(steps, sources=SOURCES), {"l": contract(left), "r": contract(right)})
    assert plan.ok, plan.problems
    return plan


def used(plan: Plan, source: str) -> set[str]:
    bound = plan.node(source).bound
    assert isinstance(bound, SourceBound)
    return set(bound.used_fields)


COUNTS = {
    "op": "aggregate",
    "input": "joined",
    "by": ["carrier"],
    "window": {"tumbling": {"size": "1m"}},
    "emit": "final",
}


@pytest.mark.parametrize("type_", ["semi", "anti"])
def test_a_one_sided_join_reads_what_is_read_below_of_the_left(type_: str) -> None:
    steps = {"joined": {**JOIN, "type": type_}, "counts": {**COUNTS, "measures": {"worst": "max(x)"}}}
    plan = plan_of(steps)
    assert used(plan, "l") == {"k", "carrier", "x"}
    assert used(plan, "r") == {"k"}
    assert output_lineage(plan)["out"]["carrier"] == ["l.carrier"]


@pytest.mark.parametrize("type_", ["semi", "anti"])
def test_a_left_field_may_be_called_as_a_prefix_would_call_a_right_one(type_: str) -> None:
    steps = {
        "joined": {**JOIN, "type": type_, "prefix": "r_"},
        "shown": {"op": "select", "input": "joined", "fields": ["r_carrier"]},
    }
    plan = plan_of(steps, left={**BOTH, "r_carrier": "string"})
    assert (used(plan, "l"), used(plan, "r")) == ({"k", "r_carrier"}, {"k"})


@pytest.mark.parametrize("type_", ["semi", "anti"])
def test_a_condition_reads_the_side_that_it_names(type_: str) -> None:
    steps = {
        "joined": {**JOIN, "type": type_, "prefix": "r_", "where": "r_x > 1"},
        "shown": {"op": "select", "input": "joined", "fields": ["carrier"]},
    }
    plan = plan_of(steps)
    assert (used(plan, "l"), used(plan, "r")) == ({"k", "carrier"}, {"k", "x"})


def swapped(fields: list[str]) -> dict[str, Any]:
    """A semi join whose condition compares two fields of the right, which a select above makes of a and b."""
    return {
        "sides": {
            "op": "select",
            "input": "r",
            "fields": dict(zip(["k", *fields], ["k", "a", "b"], strict=True)),
        },
        "joined": {**JOIN, "type": "semi", "right": "sides", "prefix": "r_", "where": "one > other"},
    }


def test_a_one_sided_join_whose_condition_means_another_thing_begins_anew() -> None:
    right = {"k": "string", "a": "int", "b": "int"}
    one, other = (plan_of(swapped(fields), right) for fields in (["one", "other"], ["other", "one"]))
    assert one.fingerprint != other.fingerprint


def total(text: str) -> Plan:
    """A total of a text over a struct `s` with members a and b, beside fields a and b that mean the same."""
    steps = {
        "same": {"op": "derive", "input": "l", "fields": {"a": "x", "b": "x"}},
        "made": {"op": "derive", "input": "same", "fields": {"c": text}},
        "counts": {"op": "aggregate", "input": "made", "measures": {"t": "count(c)"}},
    }
    fields = {**BOTH, "s": "struct<a:int,b:int>", "m": "map<string,int>"}
    plan = plan_job(document(steps, sources={"l": {"stream": "l"}}), {"l": contract(fields)})
    assert plan.ok, plan.problems
    return plan


@pytest.mark.parametrize(
    ("one", "other"),
    [("s.a", "s.b"), ("m['`a`']", "m['`b`']"), (r"concat(k, '\'`a`')", r"concat(k, '\'`b`')")],
)
def test_members_and_literals_that_are_called_as_fields_are_no_fields(one: str, other: str) -> None:
    assert total(one).fingerprint != total(other).fingerprint


def late(measure: str) -> Plan:
    """Late rows of an aggregate whose measure is called so, and what is made of their x."""
    counts = {**COUNTS, "input": "l", "measures": {measure: "sum(x)"}, "late": "dead_letter"}
    steps = {"counts": counts, "more": {"op": "derive", "input": "counts.late", "fields": {"y": "x + 1"}}}
    outputs = {"out": {"input": "counts", "to": "result"}, "late": {"input": "more", "to": {"topic": "late"}}}
    plan = plan_job(document(steps, sources={"l": {"stream": "l"}}, outputs=outputs), {"l": contract(BOTH)})
    assert plan.ok, plan.problems
    return plan


def test_a_late_row_has_its_own_field_and_not_the_measure_of_that_name() -> None:
    assert late("x").state.made["more"] == late("most").state.made["more"]
