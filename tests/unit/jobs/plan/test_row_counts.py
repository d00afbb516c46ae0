"""What has to be counted to know the rows of each step."""

from typing import Any

from jobs.plan import Plan, plan_job
from jobs.plan.row_counts import row_counts, rows_of
from tests.support.plan_helpers import contract

FILTER = {"op": "filter", "where": "x > 0"}
AGGREGATE = {"op": "aggregate", "by": ["k"], "measures": {"n": "count()"}}


def part(steps: dict[str, Any], outputs: list[str]) -> Plan:
    written: dict[str, Any] = {
        f"out{at}": {"input": name, "to": {"topic": f"t{at}"} if at else "result"}
        for at, name in enumerate(outputs)
    }
    document = {
        "format": 1,
        "name": "x",
        "sources": {"s": {"stream": "s"}, "t": {"stream": "t"}},
        "steps": steps,
        "outputs": written,
    }
    plan = plan_job(document, {"s": contract(), "t": contract()})
    assert plan.ok, plan.problems
    (query,) = plan.queries
    return plan.for_query(query)


def test_what_a_query_writes_is_what_its_last_step_gives() -> None:
    plan = part(
        {"few": {**FILTER, "input": "s"}, "last": {"op": "drop", "input": "few", "fields": ["x"]}}, ["last"]
    )
    counts = row_counts(plan)
    assert (counts.counted, counts.written) == (frozenset(), "last")
    assert rows_of(plan, {"s": 9, "last": 4}) == {"s": 9, "few": 4, "last": 4}


def test_steps_without_state_get_no_count_of_their_own() -> None:
    plan = part({"one": {**FILTER, "input": "s"}, "two": {**FILTER, "input": "one"}}, ["two"])
    assert row_counts(plan).counted == frozenset()
    assert "one" not in rows_of(plan, {"s": 9, "two": 4})


def test_steps_with_state_are_counted_unless_their_rows_are_what_is_written() -> None:
    behind = part(
        {"sums": {**AGGREGATE, "input": "s"}, "few": {**FILTER, "where": "n > 1", "input": "sums"}}, ["few"]
    )
    assert row_counts(behind).counted == {"sums"}
    last = part({"sums": {**AGGREGATE, "input": "s"}}, ["sums"])
    assert row_counts(last).counted == frozenset()


def test_what_is_counted_anyway_is_not_counted_again() -> None:
    plan = part(
        {"sums": {**AGGREGATE, "input": "s"}, "few": {**FILTER, "where": "n > 1", "input": "sums"}}, ["few"]
    )
    assert row_counts(plan, frozenset({"sums"})).counted == frozenset()


def test_a_union_gives_the_rows_of_its_inputs() -> None:
    plan = part({"both": {"op": "union", "inputs": ["s", "t"]}, "few": {**FILTER, "input": "both"}}, ["few"])
    assert rows_of(plan, {"s": 2, "t": 3, "few": 1})["both"] == 5
    assert "both" not in rows_of(plan, {"s": 2, "few": 1})


def test_outputs_of_one_pass_are_counted_together_behind_state_alone() -> None:
    steps = {
        "ways": {"op": "branch", "input": "s", "branches": {"high": "x > 0"}, "rest": "low"},
        "few": {**FILTER, "input": "ways.high"},
    }
    assert row_counts(part(steps, ["few", "ways.low"])).packed == {}
    steps = {
        "sums": {**AGGREGATE, "input": "s"},
        "ways": {"op": "branch", "input": "sums", "branches": {"high": "n > 1"}, "rest": "low"},
        "few": {**FILTER, "where": "n > 2", "input": "ways.high"},
    }
    plan = part(steps, ["few", "ways.low"])
    counts = row_counts(plan)
    assert counts.counted == frozenset()
    assert counts.packed == {"sums": ("ways.high", "ways.low", "few")}
