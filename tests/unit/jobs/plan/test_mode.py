from typing import Any

import pytest

from jobs.plan import PlanningContext, plan_job
from tests.support.plan_helpers import contract, found, planned

HOPPING = {"hopping": {"size": "5s", "advance": "1s"}}


def aggregate(**more: Any) -> dict[str, Any]:
    return {
        "sums": {"op": "aggregate", "input": "s", "window": HOPPING, "measures": {"c": "count()"}, **more}
    }


def test_real_time_where_everything_allows_it() -> None:
    plan = planned(aggregate(), PlanningContext(rates={"s": 200}, partitions={"s": 4}, shuffle_partitions=2))
    assert plan.mode.mode == "realtime"
    assert "~1,000 results/s" in plan.mode.reasons[0]
    assert (plan.slots, plan.fanout) == (6, 5)


def test_an_unknown_rate_is_taken_as_low() -> None:
    plan = planned(aggregate())
    assert plan.mode.mode == "realtime"
    assert "no input rate was measured" in plan.mode.reasons[0]


@pytest.mark.parametrize(
    ("more", "context", "words"),
    [
        ({"emit": "final"}, PlanningContext(), "final results"),
        ({"measures": {"p": "percentile(x, 0.5)"}}, PlanningContext(), "percentile"),
        ({}, PlanningContext(rates={"s": 201}), "201 records/s × 5"),
        ({}, PlanningContext(rates={"s": 100}, engine_rate=2_001), "engine"),
    ],
)
def test_micro_batch_and_why(more: dict[str, Any], context: PlanningContext, words: str) -> None:
    plan = planned(aggregate(**more), context)
    assert plan.ok
    assert plan.mode.mode == "microbatch"
    assert words in plan.mode.reasons[0]
    assert (plan.slots, plan.fanout) == (1, 5)


def test_words_of_a_text_count_too() -> None:
    steps = {
        "words": {"op": "split", "input": "s", "field": "k"},
        "counts": {"op": "aggregate", "input": "words", "by": ["word"], "measures": {"c": "count()"}},
    }
    assert planned(steps, PlanningContext(rates={"s": 100})).mode.mode == "realtime"
    assert planned(steps, PlanningContext(rates={"s": 101})).mode.mode == "microbatch"


def test_steps_side_by_side_do_not_multiply() -> None:
    document = {
        "format": 1,
        "name": "words",
        "sources": {"s": {"stream": "s"}, "r": {"stream": "r"}},
        "steps": {
            "words": {"op": "split", "input": "s", "field": "k", "as": "word"},
            "tags": {"op": "explode", "input": "r", "field": "tags", "as": "word"},
            "all": {"op": "union", "inputs": ["words", "tags"]},
            "counts": {"op": "aggregate", "input": "all", "by": ["word"], "measures": {"c": "count()"}},
        },
        "outputs": {"out": {"input": "counts", "to": "result"}},
    }
    contracts = {"s": contract(), "r": contract()}
    low, high = ({"s": rate, "r": rate} for rate in (50, 51))
    assert plan_job(document, contracts, PlanningContext(rates=low)).mode.mode == "realtime"
    planned_high = plan_job(document, contracts, PlanningContext(rates=high))
    assert planned_high.mode.mode == "microbatch"
    assert "102 records/s × 10 each" in planned_high.mode.reasons[0]


def test_what_is_asked_for_is_done_where_it_can_be() -> None:
    assert (
        planned(aggregate(), PlanningContext(rates={"s": 9_999}), settings={"mode": "realtime"}).mode.mode
        == "realtime"
    )
    assert (
        planned(aggregate(measures={"p": "percentile(x, 0.5)"}), settings={"mode": "realtime"}).mode.mode
        == "realtime"
    )
    assert planned(aggregate(), settings={"mode": "microbatch"}).mode.mode == "microbatch"


def test_a_step_that_needs_micro_batches_says_so_once() -> None:
    steps = {
        "once": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"},
        "pairs": {
            "op": "join",
            "left": "once",
            "right": "r",
            "on": {"k": "k"},
            "between": {"after": "5s"},
            "prefix": "r_",
        },
    }
    document = {
        "format": 1,
        "name": "join",
        "sources": {"s": {"stream": "s"}, "r": {"stream": "r"}},
        "steps": steps,
        "outputs": {"out": {"input": "pairs", "to": "result"}},
    }
    plan = plan_job(document, {"s": contract(), "r": contract()})
    assert plan.ok, plan.problems
    assert plan.mode.reasons == ("pairs joins two streams, which needs micro-batch mode.",)


def test_real_time_mode_that_is_not_possible() -> None:
    plan = planned(aggregate(emit="final"), settings={"mode": "realtime"})
    assert found(plan) == [("MODE_NOT_POSSIBLE", "settings.mode")]
    assert "sums" in plan.problems[0].message


def test_rows_need_no_state_slots() -> None:
    plan = planned(
        {"kept": {"op": "filter", "input": "s", "where": "x > 0"}},
        PlanningContext(partitions={"s": 3}, shuffle_partitions=5),
    )
    assert plan.slots == 3


def test_every_step_with_state_needs_slots() -> None:
    context = PlanningContext(partitions={"s": 3}, shuffle_partitions=5)
    once = {"once": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"}}
    counts = {"op": "aggregate", "input": "once", "by": ["k"], "measures": {"c": "count()"}}
    assert planned({**once, "counts": counts}, context).slots == 3 + 2 * 5
    days = {**counts, "input": "s", "window": {"tumbling": {"size": "1d"}}}
    compared = {"counts": days, "step": {"op": "change", "input": "counts", "of": ["c"]}}
    assert planned(compared, context).slots == 3 + 5, "change computes the aggregate itself"


def test_a_rate_limit_needs_micro_batches() -> None:
    plan = planned(aggregate(), settings={"rate_limit": 1_500})
    assert plan.mode.mode == "microbatch"
    assert "1,500 records/s per stream" in plan.mode.reasons[0]
    refused = planned(aggregate(), settings={"rate_limit": 1_500, "mode": "realtime"})
    assert found(refused) == [("MODE_NOT_POSSIBLE", "settings.mode")]


@pytest.mark.parametrize("limit", [9, 0, -1, 1.5, "many"])
def test_a_rate_limit_is_a_number_of_at_least_ten(limit: Any) -> None:
    assert not planned(aggregate(), settings={"rate_limit": limit}).ok
