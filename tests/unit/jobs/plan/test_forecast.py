"""Bounded or not, and how much: the figures are counted by hand."""

from typing import Any

import pytest

from jobs.plan import plan_job
from jobs.plan.forecast import forecast
from tests.support.plan_helpers import contract, planned

HOPPING = {"hopping": {"size": "1m", "advance": "10s"}}
DAYS = {"calendar": {"unit": "day", "zone": "Europe/Berlin"}}
COUNT = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}
ONCE = {"op": "deduplicate", "input": "s", "by": ["k"], "within": "20s"}
NEWEST = {"op": "latest", "input": "s", "by": ["k"]}
THIN = {"op": "throttle", "input": "s", "by": ["k"], "every": "1m"}
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
        ({**COUNT, "window": DAYS}, "bounded", {"step": 50}, 50 * 2),
        ({**COUNT, "window": DAYS, "grace": "3d"}, "bounded", {"step": 50}, 50 * 5),
        (ONCE, "bounded", {}, 100 * 30),
        (ONCE, "bounded", {"step": 50}, 50),
        ({**ONCE, "within": "exact"}, "bounded", {"step": 50}, 100 * 10),  # of each key many times
        (NEWEST, "unbounded", {}, 100 * 86_400),
        ({**NEWEST, "ttl": "20s"}, "bounded", {}, 100 * 30),
        ({**NEWEST, "ttl": "20s"}, "bounded", {"step": 50}, 50),
        (THIN, "bounded", {"step": 50}, 100 * 10 + 50),  # held rows, and an interval of each key
        (THIN, "bounded", {}, 100 * 10 + 100 * 70),
    ],
)
def test_entries(step: dict[str, Any], kind: str, keys: dict[str, int], rows: int) -> None:
    (found,) = forecast(planned({"step": step}), RATES, keys)
    assert (found.step, found.bound.kind, found.rows) == ("step", kind, rows)
    assert found.bound.why
    assert found.size is not None
    assert found.size > 90 * rows


JOIN = {"op": "join", "left": "s", "right": "r", "on": {"k": "k"}, "prefix": "r_"}
LOOK_UP = {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}


@pytest.mark.parametrize(
    ("step", "keys", "rows"),
    [
        ({**JOIN, "between": {"before": "5s", "after": "15s"}}, {}, 110 * 30),
        # Each left row waits an hour for one that comes 59 minutes later at the earliest.
        ({**JOIN, "between": {"before": "-59m", "after": "1h"}}, {}, 110 * 3_610),
        ({**JOIN, "between": {"before": "1h", "after": "-59m"}}, {}, 110 * 3_610),
        (LOOK_UP, {"step": 50}, 50),
        (LOOK_UP, {}, 2 * 86_400),  # of the table alone
        ({**LOOK_UP, "version": "as_of", "retention": "1h"}, {"step": 50}, 50 + 2 * 3_610 + 100 * 10),
    ],
)
def test_entries_of_two_inputs(step: dict[str, Any], keys: dict[str, int], rows: int) -> None:
    other = {"t": {"table": "t"}} if step["op"] == "table_join" else {"r": {"stream": "r"}}
    document = {
        "format": 1,
        "name": "two",
        "sources": {"s": {"stream": "s"}, **other},
        "steps": {"step": step},
        "outputs": {"out": {"input": "step", "to": "result"}},
    }
    of_table = contract({"k": "string!", "x": "int"}, kind="table", key=["k"])
    plan = plan_job(document, {"s": contract(), "r": contract(), "t": of_table})
    assert plan.ok, plan.problems
    (found,) = forecast(plan, {"s": 100.0, "r": 10.0, "t": 2.0}, keys)
    assert found.rows == rows


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
