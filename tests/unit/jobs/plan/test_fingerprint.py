"""What keeps stored state, what breaks it, and what the user is told."""

import json
from typing import Any

import pytest

from jobs.plan import Plan, diff, plan_job
from tests.support.plan_helpers import contract, document, planned

STEPS: dict[str, Any] = {
    "kept": {"op": "filter", "input": "s", "where": "x > 0"},
    "more": {"op": "derive", "input": "kept", "fields": {"twice": "x * 2", "other": "y + 1"}},
    "sums": {
        "op": "aggregate",
        "input": "more",
        "window": {"tumbling": {"size": "10s"}},
        "grace": "2s",
        "by": ["k", "id"],
        "measures": {"t": "sum(twice)", "c": "count()"},
    },
    "shown": {"op": "derive", "input": "sums", "fields": {"mean": "t / c"}},
}


def base() -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(document(STEPS)))
    return copy


def plan_of(value: dict[str, Any], **contract_changes: Any) -> Plan:
    plan = plan_job(value, {"s": contract(**contract_changes), "t": contract()})
    assert plan.ok, plan.problems
    return plan


def edited(path: str, value: Any) -> dict[str, Any]:
    changed = base()
    *above, last = path.split(".")
    inside = changed
    for part in above:
        inside = inside[part]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    return changed


def renamed_step() -> dict[str, Any]:
    changed = base()
    changed["steps"] = {
        ("totals" if name == "sums" else name): step for name, step in changed["steps"].items()
    }
    changed["steps"]["shown"]["input"] = "totals"
    return changed


def renamed_measure() -> dict[str, Any]:
    changed = edited("steps.sums.measures", {"t": "sum(twice)", "n": "count()"})
    changed["steps"]["shown"]["fields"]["mean"] = "t / n"
    return changed


def without_filter() -> dict[str, Any]:
    changed = edited("steps.kept", None)
    changed["steps"]["more"]["input"] = "s"
    return changed


SAME = {
    "nothing": base(),
    "the job's name": edited("name", "other"),
    "a description": edited("description", "what it does"),
    "a setting": edited("settings", {"mode": "microbatch", "engine": "dedicated"}),
    "the output's name": edited("outputs", {"other": {"input": "shown", "to": "result"}}),
    "a measure's name": renamed_measure(),
    "an equal expression": edited("steps.more.fields.twice", "(x)  *  2"),
    "an equal duration": edited("steps.sums.window.tumbling.size", "10000ms"),
    "the filter's condition": edited("steps.kept.where", "x > 5"),
    "no filter": without_filter(),
    "a field that no state reads": edited("steps.more.fields.other", "y + 2"),
    "a step after the state": edited("steps.shown.fields.mean", "t + c"),
    "a step's name": renamed_step(),
}

BROKEN = {
    "window size": edited("steps.sums.window.tumbling.size", "20s"),
    "window offset": edited("steps.sums.window.tumbling.offset", "1s"),
    "kind of window": edited("steps.sums.window", {"hopping": {"size": "10s", "advance": "5s"}}),
    "grace": edited("steps.sums.grace", "3s"),
    "order of keys": edited("steps.sums.by", ["id", "k"]),
    "another key": edited("steps.sums.by", ["k", "id", "flag"]),
    "another measure": edited("steps.sums.measures.t", "max(twice)"),
    "order of measures": edited("steps.sums.measures", {"c": "count()", "t": "sum(twice)"}),
    "one measure more": edited("steps.sums.measures.z", "count(x)"),
    "a measure's where": edited("steps.sums.measures.c", "count() where y > 1"),
    "what a measure reads, further up": edited("steps.more.fields.twice", "x * 3"),
    "a type further up": edited("steps.more.fields.twice", "cast(x as double)"),
    "the delay": edited("sources.s.delay", "20s"),
    "the stream": edited("sources.s.stream", "t"),
    "final results": edited("steps.sums.emit", "final"),
}


@pytest.mark.parametrize("name", SAME)
def test_state_goes_on(name: str) -> None:
    verdict = diff(plan_of(base()), plan_of(SAME[name]))
    assert verdict.same_state
    assert not any(change.breaks_state for change in verdict.changes)
    assert bool(verdict.changes) == (name not in ("nothing",))


@pytest.mark.parametrize("name", BROKEN)
def test_state_breaks_and_the_change_that_breaks_it_is_named(name: str) -> None:
    verdict = diff(plan_of(base()), plan_of(BROKEN[name]), adapts=False)
    assert not verdict.same_state
    breaking = [change for change in verdict.changes if change.breaks_state]
    assert breaking
    assert all(change.path for change in breaking), "a place is known"


def test_sentences() -> None:
    changes = diff(plan_of(base()), plan_of(edited("steps.sums.grace", "3s"))).changes
    assert [change.as_json() for change in changes] == [
        {"path": ["steps", "sums", "grace"], "sentence": "sums: grace 2 s → 3 s.", "breaks_state": True}
    ]
    (change,) = diff(plan_of(base()), plan_of(renamed_step())).changes[:1]
    assert change.sentence == "Step sums renamed to totals."


def test_a_changed_contract_is_told_although_the_document_is_the_same() -> None:
    verdict = diff(plan_of(base()), plan_of(base(), event_time={"kind": "field", "field": "at"}))
    assert [(change.path, change.breaks_state) for change in verdict.changes] == [(("sources", "s"), True)]
    verdict = diff(plan_of(base()), plan_of(base(), delay="1h"))
    assert [(change.path, change.breaks_state) for change in verdict.changes] == [(("sources", "s"), True)]


def with_path(name: str, path: list[Any] | None, **more: Any) -> Plan:
    return plan_of(base(), paths={name: path}, **more)


def test_what_a_field_is_read_from_is_what_its_state_means() -> None:
    assert with_path("x", ["x"]).fingerprint == plan_of(base()).fingerprint, (
        "said or not, it is the same member"
    )
    read_otherwise = {
        with_path("x", path).fingerprint for path in (None, ["@x"], ["x.y"], ["x", "y"], ["x", 0])
    }
    assert len(read_otherwise) == 5
    assert not diff(plan_of(base()), with_path("x", ["@x"]), adapts=False).same_state


def test_what_the_event_time_is_read_from_is_what_the_state_means() -> None:
    rule = {"kind": "field", "field": "at"}
    assert (
        with_path("at", None, event_time=rule).fingerprint
        != with_path("at", ["@timestamp"], event_time=rule).fingerprint
    )
    assert with_path("at", ["a"]).fingerprint == with_path("at", None).fingerprint, (
        "nothing of the state reads it"
    )


def test_an_identity_of_other_parts_breaks_a_stateless_job() -> None:
    old = plan_of(document({"a": {"op": "filter", "input": "s", "where": "x > 0"}}))
    new = plan_of(document({"a": {"op": "split", "input": "s", "field": "k"}}))
    assert not diff(old, new).same_state


def test_documents_with_errors_have_no_fingerprint() -> None:
    assert plan_job(edited("steps.kept.where", "x >"), {"s": contract()}).fingerprint == ""


def test_the_fingerprint_does_not_drift() -> None:
    """Raised on purpose only: every running job would begin a new generation."""
    assert plan_of(base()).fingerprint == "76693eab20dc60e591ffc1e75a2ef9bd"


@pytest.mark.parametrize(
    ("bounds", "steps", "named"),
    [
        ({"before": "5s", "after": "0s"}, ["windows"], True),
        ({"before": "5s", "after": "0s"}, ["rows", "windows"], True),
        ({"before": "5s", "after": "0s"}, ["once"], True),
        ({"before": "5s", "after": "0s"}, ["totals"], False),
        ({"before": "3s", "after": "5s"}, ["windows"], False),
    ],
)
def test_what_spark_holds_back_counts_where_the_bounds_of_a_join_do_not_tell_it(
    bounds: dict[str, str], steps: list[str], named: bool
) -> None:
    seen = {"op": "join", "left": "s", "right": "r", "type": "semi", "on": {"k": "k"}, "between": bounds}
    counts = {"op": "aggregate", "by": ["k"], "measures": {"n": "count()"}}
    known: dict[str, dict[str, Any]] = {
        "windows": {**counts, "window": {"tumbling": {"size": "10s"}}, "emit": "final"},
        "totals": counts,
        "once": {"op": "deduplicate", "by": ["k"], "within": "1m"},
    }
    made: dict[str, Any] = {"seen": seen}
    for name in steps:
        before = list(made)[-1]
        made[name] = (
            {"op": "union", "inputs": ["s", before]} if name == "rows" else {**known[name], "input": before}
        )
    sources = {"s": {"stream": "s"}, "r": {"stream": "s"}}
    plan = planned(made, sources=sources)
    assert plan.ok, plan.problems
    assert ("spark_slack" in plan.state.stateful[steps[-1]]) == named
    assert "spark_slack" not in plan.state.stateful["seen"]


LATE_STEPS: dict[str, Any] = {
    "windows": {
        "op": "aggregate",
        "input": "s",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["k"],
        "measures": {"n": "count()"},
        "late": "dead_letter",
    },
    "once": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "1m", "late": "dead_letter"},
}


def with_late_rows(step: str, references: list[str]) -> Plan:
    """Outputs of these rows in this order, each a pass of its own over the state; ``tags of x`` are of the
    rows of x.
    """
    counts = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}
    steps: dict[str, Any] = {"counts": counts, step: LATE_STEPS[step]}
    outputs: dict[str, Any] = {"live": {"input": "counts", "to": "result"}}
    for at, reference in enumerate(references):
        given = reference.removeprefix("tags of ")
        if given != reference:
            steps[f"tags{at}"] = {"op": "explode", "input": given, "field": "tags"}
            given = f"tags{at}"
        outputs[f"out{at}"] = {"input": given, "to": {"topic": f"t{at}"}}
    return plan_of(document(steps, outputs=outputs))


@pytest.mark.parametrize("step", LATE_STEPS)
def test_late_rows_do_not_go_on_with_the_state_of_their_step(step: str) -> None:
    """Spark numbers operators by position, and late rows have one of their own."""
    late = f"{step}.late"
    before = with_late_rows(step, [step, late])
    verdict = diff(before, with_late_rows(step, [late, step]))
    assert not verdict.same_state
    assert [change.sentence for change in verdict.changes if change.breaks_state] == [
        "The number or order of late outputs or source reads changed."
    ]
    assert diff(before, with_late_rows(step, [step, late])).same_state
    layout = [name for names in before.state.queries.values() for name in names]
    assert layout == ["s", "step 0", "s", "step 1", "s", "step 1"], "as it was, for the jobs that run"


def test_each_order_of_a_step_and_its_late_rows_is_a_state_of_its_own() -> None:
    rows = ["once", "tags of once"]
    late = ["once.late", "tags of once.late"]
    orders = [
        [*rows, late[0]],
        [rows[0], late[0], rows[1]],
        [late[0], *rows],
        [rows[0], *late],
        [late[0], rows[0], late[1]],
        [*late, rows[0]],
        late,
        [late[1], rows[0]],
        [rows[1], late[0]],
    ]
    plans = [with_late_rows("once", order) for order in orders]
    assert len({plan.fingerprint for plan in plans}) == len(orders)


def test_steps_with_state_in_another_order_are_told_so() -> None:
    counted = {"op": "aggregate", "window": {"tumbling": {"size": "10s"}}, "by": ["k"]}
    a = {**counted, "input": "s", "measures": {"n": "count()"}}
    b = {**counted, "input": "s", "measures": {"most": "max(n)"}}
    outputs = {"a": {"input": "a", "to": "result"}, "b": {"input": "b", "to": {"topic": "o"}}}
    old, new = planned({"a": a, "b": b}, outputs=outputs), planned({"b": b, "a": a}, outputs=outputs)
    changes = diff(old, new)
    assert not changes.same_state
    assert [change.sentence for change in changes.changes if change.breaks_state] == [
        "Steps with state are in another order. Put them back in the former order to keep the state."
    ]
