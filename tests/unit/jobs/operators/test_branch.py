from typing import Any

import pytest

from tests.support.plan_helpers import FIELDS, found, only, planned

OUT = {"outputs": {"out": {"input": "step.big", "to": "result"}}}


def branched(**step: Any) -> Any:
    return planned({"step": {"op": "branch", "input": "s", **step}}, **OUT)


def test_every_output_has_the_rows_as_they_are() -> None:
    plan = branched(branches={"big": "x > 10", "small": "x > 0"}, rest="others")
    assert plan.problems == ()
    node = plan.node("step")
    assert (list(node.ports), node.only_ports) == (["big", "small", "others"], True)
    assert {port: relation.schema.names for port, relation in node.ports.items()} == dict.fromkeys(
        node.ports, tuple(FIELDS)
    )
    assert plan.mode.mode == "realtime"


def test_the_step_itself_cannot_be_read() -> None:
    plan = planned({"step": {"op": "branch", "input": "s", "branches": {"big": "x > 10"}}})
    assert (only(plan).code, only(plan).hint) == ("INPUT_COUNT", "Did you mean step.big?")
    unknown = branched(branches={"large": "x > 10"})
    assert (only(unknown).code, only(unknown).path) == ("INPUT_COUNT", ("outputs", "out", "input"))


@pytest.mark.parametrize(
    ("parameters", "code", "place"),
    [
        ({"branches": {"big": "xx > 10"}}, "FIELD_UNKNOWN", "branches.big"),
        ({"branches": {"big": "x"}}, "TYPE_MISMATCH", "branches.big"),
        ({"branches": {"big": "x > 1", "_a": "x > 2"}}, "NAME_RESERVED", "branches._a"),
        ({"branches": {"big": "x > 1"}, "rest": "big"}, "NAME_TAKEN", "rest"),
        ({"branches": {"big": "x > 1", "other": "x  >  1"}}, "BRANCH_UNREACHABLE", "branches.other"),
        ({"branches": {"big": True, "other": "x > 1"}}, "BRANCH_UNREACHABLE", "branches.other"),
        ({"branches": {"big": "x > 1", "other": False}}, "BRANCH_UNREACHABLE", "branches.other"),
        ({"branches": {"big": True}, "rest": "other"}, "BRANCH_UNREACHABLE", "rest"),
    ],
)
def test_problems(parameters: dict[str, Any], code: str, place: str) -> None:
    assert found(branched(**parameters)) == [(code, f"steps.step.{place}")]


def test_with_all_equal_conditions_both_hold() -> None:
    assert branched(branches={"big": "x > 1", "other": "x > 1"}, match="all").problems == ()
