"""Stored values are found again by their names: an edit that gives two fields of one type each other's name
keeps no state that holds both.
"""

from typing import Any

import pytest

from jobs.plan import Plan, diff, plan_job
from tests.support.plan_helpers import contract

Steps = dict[str, Any]

FIELDS = {"k": "string", "a": "double", "b": "double"}
SLIDING: Steps = {"op": "aggregate", "by": ["k"], "window": {"sliding": {"size": "5s"}}}
STATES: dict[str, tuple[str, Steps]] = {
    "the table of a current join": ("t", {"op": "table_join", "input": "s", "table": "{}", "prefix": "t_"}),
    "the stream of an as_of join": (
        "s",
        {
            "op": "table_join",
            "input": "{}",
            "table": "t",
            "prefix": "t_",
            "version": "as_of",
            "retention": "1h",
        },
    ),
    "throttle": ("s", {"op": "throttle", "input": "{}", "by": ["k"], "every": "10s"}),
    "sliding": ("s", {**SLIDING, "input": "{}", "measures": {"p": "sum(a)", "q": "sum(b)"}}),
}
SWAPS: dict[str, Steps] = {
    "rename": {"op": "rename", "fields": {"a": "b", "b": "a"}},
    "select": {"op": "select", "fields": {"k": "k", "b": "a", "a": "b"}},
}


def plan(state: str, swap: str | None, fields: dict[str, str] = FIELDS) -> Plan:
    source, step = STATES[state]
    step = {name: source_of(value, source, swap) for name, value in step.items()}
    if step["op"] == "table_join":
        step["on"] = {"k": "k"}
    if swap is not None and state == "sliding":  # the values that are added up are the same
        step["measures"] = {"p": "sum(b)", "q": "sum(a)"}
    steps: Steps = {"swapped": {**SWAPS[swap], "input": source}} if swap is not None else {}
    sources = {"s": {"stream": "s"}} | ({"t": {"table": "t"}} if step["op"] == "table_join" else {})
    document = {
        "format": 1,
        "name": "test",
        "sources": sources,
        "steps": {**steps, "state": step},
        "outputs": {"out": {"input": "state", "to": "result"}},
    }
    time = {"event_time": {"kind": "kafka_timestamp"}}
    found = plan_job(
        document, {"s": contract(fields, **time), "t": contract(fields, kind="table", key=["k"], **time)}
    )
    assert found.ok, found.problems
    return found


def source_of(value: Any, source: str, swap: str | None) -> Any:
    return (source if swap is None else "swapped") if value == "{}" else value


@pytest.mark.parametrize("swap", SWAPS)
@pytest.mark.parametrize("state", STATES)
def test_names_that_change_places_keep_no_state_that_has_both(state: str, swap: str) -> None:
    assert not diff(plan(state, None), plan(state, swap)).same_state


@pytest.mark.parametrize("state", STATES)
def test_of_different_types_each_field_is_known_by_its_type(state: str) -> None:
    """So generations that began before this was kept go on."""
    fields = {"k": "string", "a": "double", "b": "int"}
    assert '"meant"' not in str(plan(state, None, fields).state.stateful)
    assert "meant" in str(plan(state, None).state.stateful)
