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


STATS = {
    **COUNT,
    "window": {"tumbling": {"size": "1m"}},
    "measures": {"n": "count()", "total": "sum(x)"},
}
COMPARED = {"op": "change", "input": "stats", "of": ["total"]}


@pytest.mark.parametrize(
    ("stats", "keys", "rows"),
    [
        (STATS, {"step": 50}, 50 * 3),  # two windows that are open in (60 + 10) s, and the next one
        ({**STATS, "grace": "1m"}, {"step": 50}, 50 * 4),
        (STATS, {}, 2 * 100 * 130),  # every row a key of its own, in two windows until the later one closes
        ({**STATS, "by": []}, {}, 3),
        ({**STATS, "window": DAYS}, {"step": 50}, 50 * 3),
    ],
)
def test_a_change_keeps_the_aggregate_that_it_compares(
    stats: dict[str, Any], keys: dict[str, int], rows: int
) -> None:
    (found,) = forecast(planned({"stats": stats, "step": COMPARED}), RATES, keys)
    assert (found.step, found.rows) == ("step", rows)
    key, measures, compared = (24 if stats["by"] else 0), 2 * (16 + 8), 16 + 8
    assert found.size == rows * (90 + key + measures + compared + 2 * 8)


def test_an_aggregate_that_is_compared_and_written_is_kept_twice() -> None:
    written = {
        "out": {"input": "step", "to": "result"},
        "stats": {"input": "stats", "to": {"topic": "stats"}},
    }
    plan = planned({"stats": STATS, "step": COMPARED}, outputs=written)
    found = forecast(plan, RATES, {"stats": 50, "step": 50})
    assert [(one.step, one.rows) for one in found] == [("stats", 50 * 2), ("step", 50 * 3)]


def test_a_late_output_keeps_nothing_of_its_step() -> None:
    written = {
        "out": {"input": "stats", "to": "result"},
        "late": {"input": "stats.late", "to": {"topic": "late"}},
    }
    plan = planned({"stats": {**STATS, "late": "dead_letter"}}, outputs=written)
    assert [one.rows for one in forecast(plan, RATES, {"stats": 50})] == [50 * 2]


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
