"""Exchanges: where one output needs final and updated results, which rows one query hands to the other, and
what edits of them mean.
"""

from typing import Any

import pytest

from jobs.plan import Plan, diff
from jobs.plan.forecast import forecast
from tests.support.plan_helpers import planned

FINAL = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()", "top": "max(x)"},
    "emit": "final",
}
ALL = {
    "op": "aggregate",
    "input": "windows",
    "by": ["k"],
    "measures": {"windows": "count()", "rows": "sum(n)"},
}
STEPS: dict[str, Any] = {"windows": FINAL, "all": ALL}


def outputs(result: str, **topics: str) -> dict[str, Any]:
    more = {name: {"input": reference, "to": {"topic": name}} for name, reference in topics.items()}
    return {"outputs": {"out": {"input": result, "to": "result"}, **more}}


def shown(plan: Plan) -> list[tuple[str, list[str], list[str], list[str], list[str]]]:
    assert plan.ok, plan.problems
    return [
        (s["name"], s["outputs"], s["nodes"], s["exchange_out"], s["exchange_in"])
        for s in plan.as_json()["queries"]
    ]


def exchanges(plan: Plan) -> list[str]:
    return [reference for _, _, _, _, exchange_in in shown(plan) for reference in exchange_in]


def test_the_query_of_final_rows_hands_them_on_and_comes_first() -> None:
    plan = planned(STEPS, **outputs("all"))
    assert shown(plan) == [
        ("append", [], ["s", "windows"], ["windows"], []),
        ("update", ["out"], ["all"], [], ["windows"]),
    ]
    assert [query.reason for query in plan.queries] == [
        "windows emits final results only, so it needs its own query (append mode).",
        "all updates results, so it needs its own query (update mode). "
        "Rows of windows arrive through an internal topic.",
    ]
    assert (plan.mode.mode, plan.slots, plan.outputs) == ("microbatch", 2, ("all",))
    assert plan.exchanged_fields == {"windows": ("k", "n")}


def test_row_by_row_steps_are_upstream_of_the_exchange_and_share_the_state_of_an_output() -> None:
    few = {"op": "filter", "input": "windows", "where": "n < 3"}
    plan = planned(
        {"windows": FINAL, "few": few, "all": {**ALL, "input": "few"}}, **outputs("all", windows="windows")
    )
    assert shown(plan) == [
        ("append", ["windows"], ["s", "windows", "few"], ["few"], []),
        ("update", ["out"], ["all"], [], ["few"]),
    ]
    (group,) = plan.queries[0].groups
    assert (group.root, [sink.name for sink in group.sinks]) == ("windows", ["windows", "few"])
    alone = planned({"windows": FINAL}, **outputs("windows"))
    kept, kept_alone = (forecast(found, {"s": 10.0}, {}) for found in (plan, alone))
    assert [state.rows for state in kept if state.step == "windows"] == [state.rows for state in kept_alone]


def test_rows_that_may_be_late_are_read_from_their_source_and_never_exchanged() -> None:
    visits = {
        "op": "aggregate",
        "input": "s",
        "window": {"session": {"gap": "5s"}},
        "by": ["k"],
        "measures": {"n": "count()"},
    }
    steps = {
        "visits": visits,
        "both": {"op": "union", "inputs": ["visits", "s"]},
        "rows": {"op": "aggregate", "input": "both", "by": ["k"], "measures": {"rows": "count()"}},
    }
    assert shown(planned(steps, **outputs("rows"))) == [
        ("append", [], ["s", "visits"], ["visits"], []),
        ("update", ["out"], ["s", "both", "rows"], [], ["visits"]),
    ]


@pytest.mark.parametrize(
    "step",
    [
        {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1m"},
        {
            "op": "aggregate",
            "input": "s",
            "window": {"sliding": {"size": "5s"}},
            "by": ["k"],
            "measures": {"n": "count()"},
        },
        {
            "op": "aggregate",
            "input": "s",
            "window": {"session": {"gap": "5s"}},
            "by": ["k"],
            "measures": {"n": "count()"},
        },
    ],
)
def test_an_exchange_separates_steps_with_final_results_from_updating_steps(step: dict[str, Any]) -> None:
    for updating in (
        {"op": "latest", "by": ["k"]},
        {**FINAL, "emit": "update", "measures": {"m": "count()"}},
    ):
        assert exchanges(planned({"once": step, "all": {**updating, "input": "once"}}, **outputs("all"))) == [
            "once"
        ]


def test_a_job_of_two_independent_parts_has_two_exchanges() -> None:
    steps = {**STEPS, "more": FINAL, "last": {"op": "latest", "input": "more", "by": ["k"]}}
    plan = planned(steps, **outputs("all", last="last"))
    assert exchanges(plan) == ["windows", "more"]
    assert [sink.exchange for sink in plan.queries[0].exchange_out] == [0, 1]


def edited(**more: dict[str, Any]) -> Plan:
    return planned({**STEPS, **more}, **outputs("all"))


def test_the_fingerprint_covers_exchanged_rows() -> None:
    running = edited()
    renamed = planned({"closed": FINAL, "all": {**ALL, "input": "closed"}}, **outputs("all"))
    unread = edited(windows={**FINAL, "measures": {"n": "count()", "top": "max(x)"}})
    assert renamed.fingerprint == unread.fingerprint == running.fingerprint
    assert diff(running, edited(few={"op": "filter", "input": "s", "where": "x > 0"})).same_state
    lean = {"windows": {**FINAL, "measures": {"n": "count()"}}, "all": ALL}
    assert diff(
        planned(lean, **outputs("all")), planned(lean, **outputs("all", windows="windows"))
    ).same_state
    wider = diff(running, edited(windows={**FINAL, "window": {"tumbling": {"size": "20s"}}}))
    assert (wider.outcome, [c.path for c in wider.changes if c.breaks_state]) == (
        "new_generation",
        [("steps", "windows", "window")],
    )


def test_renamed_exchanged_fields_could_not_be_read() -> None:
    def through(name: str) -> Plan:
        few = {"op": "select", "input": "windows", "fields": {"k": "k", name: "n"}}
        measures = {"windows": "count()", "rows": f"sum({name})"}
        return planned(
            {"windows": FINAL, "few": few, "all": {**ALL, "input": "few", "measures": measures}},
            **outputs("all"),
        )

    verdict = diff(through("n"), through("m"))
    assert verdict.outcome == "new_generation"
    assert any("couldn't be read" in change.sentence for change in verdict.changes if change.breaks_state)


PAIRS = {
    "op": "join",
    "left": "s",
    "right": "r",
    "type": "left",
    "on": {"k": "k"},
    "between": {"after": "5s"},
    "prefix": "r_",
}
COUNTS = {**FINAL, "emit": "update", "measures": {"n": "count()"}}


@pytest.mark.parametrize(
    ("steps", "slacks"),
    [
        ({"counts": {**COUNTS, "input": "pairs"}}, {"pairs": 5_001_000, "counts": 5_001_000}),
        (
            {
                "both": {"op": "union", "inputs": ["pairs", "s"]},
                "parts": {"op": "branch", "input": "both", "branches": {"some": "x > 0"}},
                "counts": {**COUNTS, "input": "parts.some"},
            },
            {"pairs": 0, "both": 0, "parts.some": 0, "counts": 0},
        ),
    ],
    ids=["no source beside it", "a source beside it"],
)
def test_beside_an_exchange_nothing_holds_the_watermark_of_a_source_back(
    steps: dict[str, Any], slacks: dict[str, int]
) -> None:
    sources = {"s": {"stream": "s"}, "r": {"stream": "s"}}
    plan = planned({"pairs": PAIRS, **steps}, sources=sources, **outputs("counts"))
    assert exchanges(plan) == ["pairs"]
    writes, reads = (plan.for_query(query) for query in plan.queries)
    assert writes.relation("pairs").spark_slack.us == 5_001_000
    assert {name: reads.relation(name).spark_slack.us for name in slacks} == slacks
