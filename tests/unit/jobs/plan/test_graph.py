from typing import Any

import pytest

from jobs.plan import plan_job
from tests.support.plan_helpers import contract, document, found, planned


def step(input_: str) -> dict[str, Any]:
    return {"op": "filter", "input": input_, "where": "x > 0"}


def test_nodes_come_after_their_inputs_sources_first() -> None:
    plan = planned({"c": step("b"), "a": step("s"), "b": step("a"), "d": step("c")})
    assert [node.name for node in plan.nodes] == ["s", "a", "b", "c", "d"]
    assert plan.node("b").inputs == ("a",)
    assert plan.outputs == ("d",)
    assert plan.problems == ()


def test_unknown_inputs() -> None:
    assert found(planned({"a": step("b")})) == [
        ("INPUT_COUNT", "steps.a.input"),
        ("STEP_UNUSED", "sources.s"),
    ]
    assert found(planned({"a": step("s")}, outputs={"out": {"input": "z", "to": "result"}}))[0] == (
        "INPUT_COUNT",
        "outputs.out.input",
    )


@pytest.mark.parametrize(
    "step",
    [
        {"op": "table_join", "input": "z", "table": "t", "on": {"a": "k"}, "prefix": "t_"},
        {
            "op": "join",
            "left": "z",
            "right": "s",
            "on": {"a": "k"},
            "between": {"after": "5s"},
            "prefix": "r_",
        },
    ],
)
def test_an_input_that_is_missing_is_not_taken_for_the_other_one(step: dict[str, Any]) -> None:
    """Of a key that only the missing input has, nothing is said: it may be there."""
    written = document({"a": step}, sources={"s": {"stream": "s"}, "t": {"table": "t"}})
    table = contract({"k": "string!", "v": "int"}, kind="table", key=["k"])
    plan = plan_job(written, {"s": contract(), "t": table})
    (missing,) = (problem for problem in plan.problems if problem.severity == "error")
    assert (missing.code, missing.path[:2]) == ("INPUT_COUNT", ("steps", "a"))


def test_cycles() -> None:
    assert ("CYCLE", "steps.a.input") in found(planned({"a": step("a")}))
    plan = planned({"a": step("c"), "b": step("a"), "c": step("b"), "d": step("c"), "e": step("e")})
    assert [path for code, path in found(plan) if code == "CYCLE"] == ["steps.b.input", "steps.e.input"]
    assert "a ← c ← b ← a" in next(p.message for p in plan.problems if p.code == "CYCLE")


def test_a_cycle_does_not_hide_other_problems() -> None:
    plan = planned({"a": {**step("b"), "where": "x >"}, "b": {**step("a"), "where": "nothing > 0"}})
    assert ("EXPRESSION_INVALID", "steps.a.where") in found(plan)


def test_one_output_for_now() -> None:
    two = {"one": {"input": "a", "to": "result"}, "two": {"input": "s", "to": "result"}}
    assert found(planned({"a": step("s")}, outputs=two)) == [("PARAMETER_RANGE", "outputs.two")]


def test_unused_steps_and_sources_warn_and_are_not_live() -> None:
    plan = plan_job(
        document({"other": step("s"), "a": step("s")}, sources={"s": {"stream": "s"}, "t": {"stream": "s"}}),
        {"s": contract()},
    )
    assert found(plan) == [("STEP_UNUSED", "sources.t"), ("STEP_UNUSED", "steps.other")]
    assert plan.ok
    assert [node.name for node in plan.live_nodes] == ["s", "a"]


def test_a_source_may_be_the_output() -> None:
    plan = planned({})
    assert plan.ok
    assert plan.outputs == ("s",)


def test_two_hundred_steps_in_a_row() -> None:
    steps = {f"a{i}": step(f"a{i - 1}" if i else "s") for i in range(200)}
    plan = planned(dict(reversed(steps.items())), outputs={"out": {"input": "a199", "to": "result"}})
    assert plan.ok
    assert len(plan.nodes) == 201
