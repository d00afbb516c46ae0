from typing import Any

import pytest

from jobs.plan import plan_job
from tests.support.plan_helpers import FIELDS, contract, document, found, planned, schema, step_plan

SIDES = {"left": "s", "right": "u", "on": {"k": "k"}, "between": {"after": "5s"}, "prefix": "u_"}


def test_a_table_by_key() -> None:
    plan = step_plan(op="latest", by=["k"], delete_when="flag")
    assert plan.problems == ()
    assert schema(plan) == {**FIELDS, "k": "string!"}
    output = plan.node("step").output
    assert (output.kind, output.identity, output.identity_kind, output.system) == (
        "upsert",
        ("k",),
        "key",
        ("_time",),
    )
    assert plan.mode.mode == "realtime"


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"by": ["kk"]}, "FIELD_UNKNOWN", "by.0"),
        ({"by": ["y"]}, "KEY_TYPE", "by.0"),
        ({"by": ["k", "k"]}, "NAME_TAKEN", "by.1"),
        ({"delete_when": "x"}, "TYPE_MISMATCH", "delete_when"),
        ({"delete_when": "gone"}, "FIELD_UNKNOWN", "delete_when"),
        ({"ttl": "0s"}, "PARAMETER_RANGE", "ttl"),
        ({"ttl": "soon"}, "PARAMETER_RANGE", "ttl"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(step_plan(op="latest", **{"by": ["k"], **parameters})) == [(code, f"steps.step.{place}")]


def test_a_time_to_live_bounds_the_state() -> None:
    plan = step_plan(op="latest", by=["k"], ttl="1h")
    assert plan.problems == ()
    assert (plan.mode.mode, plan.node("step").state.kind) == ("microbatch", "bounded")
    assert (
        len(
            {
                step_plan(op="latest", by=["k"], **more).fingerprint
                for more in ({}, {"ttl": "1h"}, {"ttl": "2h"})
            }
        )
        == 3
    )


def test_a_changelog_is_a_table_already() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"c": "count()"}},
        "step": {"op": "latest", "input": "counts", "by": ["k"]},
    }
    assert ("KIND_MISMATCH", "steps.step.input") in found(planned(steps))


def test_offsets_compare_within_one_source() -> None:
    assert step_plan(op="latest", by=["k"], order="offset").ok
    steps = {
        "once": {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"},
        "step": {"op": "latest", "input": "once", "by": ["k"], "order": "offset"},
    }
    assert found(planned(steps)) == [("PARAMETER_RANGE", "steps.step.order")]


@pytest.mark.parametrize(
    ("upstream", "is_single"),
    [
        ({"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}, True),
        ({"op": "join", "type": "semi", **SIDES}, True),
        ({"op": "join", "type": "anti", **SIDES}, True),
        ({"op": "join", **SIDES}, False),
        ({"op": "union", "inputs": ["s", "u"]}, False),
    ],
)
def test_rows_of_one_source_compare_by_offset_whatever_they_were_joined_with(
    upstream: dict[str, Any], is_single: bool
) -> None:
    steps = {
        "upstream": upstream,
        "kept": {"op": "filter", "input": "upstream", "where": "x > 0"},
        "step": {"op": "latest", "input": "kept", "by": ["k"], "order": "offset"},
    }
    sources = {"s": {"stream": "s"}, "u": {"stream": "u"}, "t": {"table": "t"}}
    table = contract({"k": "string!", "v": "int"}, kind="table", key=["k"])
    written = document(steps, sources=sources)
    plan = plan_job(written, {"s": contract(), "u": contract(), "t": table})
    errors = [("PARAMETER_RANGE", "steps.step.order")]
    assert [one for one in found(plan) if one in errors] == ([] if is_single else errors)
    assert plan.ok == is_single


def test_what_the_state_means() -> None:
    def plan(**step: Any) -> Any:
        return step_plan(op="latest", **{"by": ["k"], **step})

    prints = [
        plan(),
        plan(by=["x"]),
        plan(order="offset"),
        plan(delete_when="flag"),
        plan(delete_when="not flag"),
    ]
    assert len({one.fingerprint for one in prints}) == len(prints)
    assert plan().fingerprint == prints[0].fingerprint


def test_behind_other_state_time_takes_no_keys_away_yet() -> None:
    pairs = {
        "op": "join",
        "left": "s",
        "right": "t",
        "on": {"k": "k"},
        "between": {"after": "1s"},
        "prefix": "r_",
    }
    newest = {"op": "latest", "input": "step", "by": ["k"], "ttl": "1h"}
    sources = {"s": {"stream": "s"}, "t": {"stream": "s"}}
    assert found(planned({"step": pairs, "newest": newest}, sources=sources)) == [
        ("PARAMETER_RANGE", "steps.newest.ttl")
    ]
    once = {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"}
    assert found(planned({"step": once, "newest": newest})) == []
    for_a_time = {**once, "within": "15s"}
    assert found(planned({"step": for_a_time, "newest": newest})) == [("PARAMETER_RANGE", "steps.newest.ttl")]
