"""Bounded or not, and how much: the figures are counted by hand."""

from typing import Any

import pytest

from jobs.plan.forecast import forecast
from tests.support.plan_helpers import planned

HOPPING = {"hopping": {"size": "1m", "advance": "10s"}}
COUNT = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}
RATES = {"s": 100.0}


@pytest.mark.parametrize(
    ("step", "kind", "keys", "rows"),
    [
        ({**COUNT, "window": HOPPING}, "bounded", {"step": 50}, 50 * 7),  # (60 + 10 s of delay) / 10 s
        ({**COUNT, "window": HOPPING, "grace": "20s"}, "bounded", {"step": 50}, 50 * 9),
        (
            {**COUNT, "window": HOPPING},
            "bounded",
            {},
            100 * 70 * 6,
        ),  # every row a key of its own, in six windows
        ({**COUNT, "window": HOPPING}, "bounded", {"step": 10**9}, 100 * 70 * 6),
        ({**COUNT, "window": {"session": {"gap": "20s"}}}, "bounded", {"step": 10}, 20),
        ({**COUNT, "window": {"sliding": {"size": "1m"}}}, "bounded", {"step": 10}, 100 * 70),
        (COUNT, "unbounded", {"step": 1000}, 1000),
        (COUNT, "unbounded", {}, 100 * 86_400),
        ({**COUNT, "by": []}, "bounded", {}, 1),
    ],
)
def test_entries(step: dict[str, Any], kind: str, keys: dict[str, int], rows: int) -> None:
    (found,) = forecast(planned({"step": step}), RATES, keys)
    assert (found.step, found.bound.kind, found.rows) == ("step", kind, rows)
    assert found.bound.why
    assert found.size is not None
    assert found.size > 90 * rows


def test_without_a_rate_nothing_is_claimed() -> None:
    (found,) = forecast(planned({"step": {**COUNT, "window": HOPPING}}), {}, {})
    assert found.as_json()["rows"] is None
    assert found.size is None


def test_every_node_says_what_it_keeps() -> None:
    plan = planned(
        {"some": {"op": "filter", "input": "s", "where": "x > 0"}, "sums": {**COUNT, "input": "some"}}
    )
    assert [(node.name, node.state.kind) for node in plan.nodes] == [
        ("s", "none"),
        ("some", "none"),
        ("sums", "unbounded"),
    ]
