from typing import Any

import pytest

from jobs.plan import Plan, plan_job
from tests.support.plan_helpers import contract, found, schema

A = {"k": "string!", "x": "int!", "amount": "decimal(10,2)", "only_a": "boolean!"}
B = {"x": "long", "k": "string!", "amount": "int", "tags": "array<string>"}


def united(
    a: dict[str, str] = A, b: dict[str, str] = B, steps: dict[str, Any] | None = None, **step: Any
) -> Plan:
    document = {
        "format": 1,
        "name": "test",
        "sources": {"a": {"stream": "a"}, "b": {"stream": "b"}},
        "steps": {**(steps or {}), "step": {"op": "union", "inputs": ["a", "b"], **step}},
        "outputs": {"out": {"input": "step", "to": "result"}},
    }
    return plan_job(document, {"a": contract(a), "b": contract(b)})


def test_fields_come_in_order_and_widen() -> None:
    plan = united(source_field="origin")
    assert plan.problems == ()
    assert list(schema(plan).items()) == [
        ("k", "string!"),
        ("x", "long"),
        ("amount", "decimal(12,2)"),
        ("only_a", "boolean"),
        ("tags", "array<string>"),
        ("origin", "string!"),
    ]
    assert (plan.node("step").output.identity_kind, plan.mode.mode) == ("row", "realtime")


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("int", "double", "double"),
        ("long", "double", "double"),
        ("long", "decimal(4,2)", "decimal(22,2)"),
        ("decimal(10,8)", "decimal(10,2)", "decimal(16,8)"),
        ("decimal(38,0)", "decimal(4,3)", None),
        ("decimal(4,2)", "double", None),
        ("string", "int", None),
        ("timestamp", "date", None),
    ],
)
def test_widening(one: str, other: str, given: str | None) -> None:
    plan = united({"v": one}, {"v": other})
    if given is None:
        assert found(plan) == [("UNION_TYPE", "steps.step.inputs.1")]
    else:
        assert schema(plan) == {"v": given}


def test_strict_inputs_are_alike() -> None:
    assert united(A, dict(reversed(A.items())), mode="strict").ok
    assert found(united(mode="strict")) == [("UNION_STRICT", "steps.step.inputs.1")] * 2
    assert found(united({"k": "string"}, {"k": "string", "x": "int"}, mode="strict")) == [
        ("UNION_STRICT", "steps.step.inputs.1")
    ]


def test_identities_of_one_source_are_kept_apart() -> None:
    steps = {"some": {"op": "filter", "input": "a", "where": "x > 0"}}
    plan = united(steps=steps, inputs=["a", "some"])
    assert plan.ok
    assert plan.node("step").output.identity_kind == "union"
    assert plan.mode.mode == "microbatch"
    assert "a source once" in plan.mode.reasons[0]


def test_results_of_aggregates_are_kept_apart() -> None:
    window = {"window": {"tumbling": {"size": "10s"}}, "emit": "final", "measures": {"n": "count()"}}
    steps = {
        name: {"op": "aggregate", "input": source, **window} for name, source in (("na", "a"), ("nb", "b"))
    }
    plan = united(steps=steps, inputs=["na", "nb"])
    assert plan.ok
    assert (plan.node("step").output.identity_kind, plan.node("step").output.system) == ("union", ("_time",))


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"inputs": ["a"]}, "PARAMETER_RANGE", "inputs"),
        ({"inputs": ["a", "a"]}, "INPUT_COUNT", "inputs.1"),
        ({"inputs": ["a", "c"]}, "INPUT_COUNT", "inputs.1"),
        ({"source_field": "k"}, "NAME_TAKEN", "source_field"),
        ({"source_field": "_k"}, "NAME_RESERVED", "source_field"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(united(**parameters))


def test_changelogs_are_refused() -> None:
    steps = {"n": {"op": "aggregate", "input": "a", "by": ["k"], "measures": {"n": "count()"}}}
    assert ("KIND_MISMATCH", "steps.step.inputs.1") in found(united(steps=steps, inputs=["b", "n"]))


def test_rows_told_apart_by_unlike_things_do_not_meet() -> None:
    """A position is a number and a broadcast table's key a text, and one column holds both."""
    tables = {"t": contract({"id": "string", "k": "string"}, kind="table", key=["id"])}
    document = {
        "format": 1,
        "name": "test",
        "sources": {"a": {"stream": "a"}, "b": {"stream": "b"}, "t": {"table": "t"}},
        "steps": {
            "joined": {
                "op": "table_join",
                "input": "a",
                "table": "t",
                "on": {"k": "k"},
                "prefix": "t_",
                "broadcast": {},
            },
            "words": {"op": "split", "input": "b", "field": "k", "as": "word"},
            "step": {"op": "union", "inputs": ["joined", "words"]},
        },
        "outputs": {"out": {"input": "step", "to": "result"}},
    }
    catalog = {"a": contract(A), "b": contract(B), **tables}
    assert found(plan_job(document, catalog)) == [("UNION_TYPE", "steps.step.inputs.1")]
    del document["steps"]["words"]
    document["steps"]["step"] = {"op": "union", "inputs": ["joined", "b"]}
    assert found(plan_job(document, catalog)) == []
