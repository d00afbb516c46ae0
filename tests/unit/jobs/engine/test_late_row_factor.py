"""How often one query may count a late row."""

from typing import Any

import pytest

from jobs.engine.late_row_factor import late_row_factor
from tests.support.plan_helpers import planned

ONCE = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "exact"}
WINDOWED = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()"},
}
CHANGE = {"op": "change", "input": "stats", "of": ["n"]}
TWO_WAYS = {
    "once": ONCE,
    "low": {"op": "filter", "input": "once", "where": "x < 0"},
    "high": {"op": "filter", "input": "once", "where": "x > 0"},
    "both": {"op": "union", "inputs": ["low", "high"]},
}


@pytest.mark.parametrize(
    ("steps", "outputs", "times"),
    [
        ({}, ["s"], 1),
        ({"stats": WINDOWED}, ["stats"], 1),
        (
            {"stats": WINDOWED, "few": {"op": "filter", "input": "stats", "where": "n < 3"}},
            ["stats", "few"],
            1,
        ),
        ({"stats": WINDOWED, "change": CHANGE}, ["change"], 2),
        (
            {"once": ONCE, "stats": {**WINDOWED, "input": "once"}},
            ["stats", "once"],
            2,
        ),  # once stands there for each of them
        (TWO_WAYS, ["both"], 2),  # and once for each way to one output
        ({**TWO_WAYS, "few": {"op": "filter", "input": "once", "where": "x < 3"}}, ["both", "few"], 3),
        ({"stats": {**WINDOWED, "emit": "final", "late": "dead_letter"}}, ["stats", "stats.late"], 1),
    ],
)
def test_a_step_counts_once_for_each_way_to_a_group_of_outputs(
    steps: dict[str, Any], outputs: list[str], times: int
) -> None:
    written = {
        f"o{at}": {"input": name, "to": {"topic": f"o{at}"} if at else "result"}
        for at, name in enumerate(outputs)
    }
    plan = planned(steps, outputs=written)
    assert plan.ok, plan.problems
    assert late_row_factor(plan) == times
