"""How far before the start of a window records decide over it, through steps of every kind."""

from typing import Any

import pytest

from jobs.base.durations import parse_duration
from jobs.plan import PlanningContext, plan_job
from tests.support.plan_helpers import contract, document

COUNT = {"measures": {"n": "count()"}}
HOURS = {"op": "aggregate", "window": {"tumbling": {"size": "1h"}}, **COUNT}
MINUTES = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "1m"}}, **COUNT}
VISITS = {"op": "aggregate", "input": "s", "window": {"session": {"gap": "10m"}}, "by": ["k"], **COUNT}
DAYS = {"calendar": {"unit": "day", "zone": "Europe/Berlin"}}
PAIRS = {
    "op": "join", "left": "s", "right": "r", "on": {"k": "k"}, "prefix": "r_",
    "between": {"before": "1m", "after": "5m"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "reach"),
    [
        ({"a": {**HOURS, "input": "s"}}, "0s"),
        ({"a": {**HOURS, "input": "s"}, "b": {"op": "filter", "input": "a", "where": "n > 1"}}, "0s"),
        ({"a": VISITS}, "10m"),
        ({"a": MINUTES, "b": {"op": "change", "input": "a", "of": ["n"]}}, "1m"),
        ({"a": {**MINUTES, "window": DAYS}, "b": {"op": "change", "input": "a", "of": ["n"]}}, "2d"),
        ({"a": {**MINUTES, "emit": "final"}, "b": {**HOURS, "input": "a"}}, "1m"),
        ({"a": VISITS, "b": {**HOURS, "input": "a"}}, "20m"),
        ({"a": PAIRS, "b": {**HOURS, "input": "a"}}, "5m"),
        (
            {
                "a": {"op": "throttle", "input": "s", "by": ["k"], "every": "10s"},
                "b": {**HOURS, "input": "a"},
            },
            "10s",
        ),
        (
            {
                "a": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "30s"},
                "b": {"op": "union", "inputs": ["a", "r"]},
                "c": {**HOURS, "input": "b"},
            },
            "30s",
        ),
    ],
)
def test_how_far(steps: dict[str, Any], reach: str) -> None:
    read = {part for step in steps.values() for part in (step.get("right"), *step.get("inputs", ()))}
    sources = {"s": {"stream": "s"}, **({"r": {"stream": "r"}} if "r" in read else {})}
    plan = plan_job(document(steps, sources=sources), {"s": contract(), "r": contract()}, PlanningContext())
    assert plan.ok, plan.problems
    found = plan.relation(list(steps)[-1])
    assert found.windowed
    assert found.before_start == parse_duration(reach)


OUTER = {"left": "5s1ms", "right": "5s1ms", "full": "5s1ms", "anti": "5s1ms", "inner": "5s", "semi": "5s"}


@pytest.mark.parametrize("kind", OUTER)
def test_rows_without_a_match_trail_by_a_millisecond_more(kind: str) -> None:
    """Spark holds its watermark back as far: nothing is left for later steps to apply."""
    step = {**PAIRS, "type": kind, "between": {"before": "1s", "after": "5s"}}
    sources = {"s": {"stream": "s"}, "r": {"stream": "r"}}
    plan = plan_job(document({"a": step}, sources=sources), {"s": contract(), "r": contract()})
    assert plan.ok, plan.problems
    found = plan.relation("a")
    assert found.slack == parse_duration(OUTER[kind])
    assert found.not_applied(found.slack).us == (0 if OUTER[kind] != "5s" else -1_000)


@pytest.mark.parametrize(
    ("window", "more", "slack_us"),
    [
        ({"session": {"gap": "10s"}}, {}, 1),
        ({"session": {"gap": "10s"}}, {"grace": "1s"}, 1_000_001),
        ({"tumbling": {"size": "10s"}}, {"emit": "final"}, 0),
        ({"tumbling": {"size": "10s"}}, {"emit": "final", "grace": "1s500us"}, 1_000_501),
        ({"tumbling": {"size": "1s500us"}}, {"emit": "final"}, 1),
        ({"tumbling": {"size": "1s500us"}}, {}, 0),
        ({"hopping": {"size": "10s", "advance": "5s", "offset": "500us"}}, {"emit": "final"}, 1),
        ({"sliding": {"size": "1s500us"}}, {}, 0),
        (DAYS, {"emit": "final"}, 0),
    ],
)
def test_results_trail_where_a_window_may_end_between_two_milliseconds(
    window: dict[str, Any], more: dict[str, str], slack_us: int
) -> None:
    plan = plan_job(
        document({"a": {"op": "aggregate", "input": "s", "window": window, **COUNT, **more}}),
        {"s": contract()},
    )
    assert plan.ok, plan.problems
    assert plan.relation("a").slack.us == slack_us
