from typing import Any

import pytest

from jobs.plan import SourceBound, plan_job
from tests.support.plan_helpers import contract, document, found, planned

KEPT = {"op": "filter", "input": "s", "where": "x > 0"}
WINDOWED = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "1m"}},
    "measures": {"c": "count()"},
}


@pytest.mark.parametrize(
    ("name", "code"),
    [("_a", "NAME_RESERVED"), ("1a", "NAME_INVALID"), ("a-b", "NAME_INVALID"), ("a" * 64, "NAME_INVALID")],
)
def test_names(name: str, code: str) -> None:
    assert found(planned({name: KEPT})) == [(code, f"steps.{name}")]
    assert (code, f"outputs.{name}") in found(
        planned({"a": KEPT}, outputs={name: {"input": "a", "to": "result"}})
    )


def test_sources_and_steps_share_their_names() -> None:
    assert ("NAME_TAKEN", "steps.s") in found(planned({"s": KEPT}))


def test_unknown_streams_name_the_nearest() -> None:
    plan = planned({"a": {**KEPT, "where": "anything > 0 and rand() > 0"}}, sources={"s": {"stream": "ss"}})
    assert ("PARAMETER_RANGE", "sources.s.stream") in found(plan)
    assert plan.problems[0].hint == "Did you mean s?"
    assert not any(code == "FIELD_UNKNOWN" for code, _ in found(plan))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("retention", "1m"),
        ("retention", "9999d"),
        ("commit_interval", "1s"),
        ("commit_interval", "1h"),
        ("trigger", "0s"),
        ("trigger", "often"),
    ],
)
def test_settings_out_of_range(setting: str, value: str) -> None:
    assert found(planned({"a": KEPT}, settings={setting: value})) == [
        ("PARAMETER_RANGE", f"settings.{setting}")
    ]


def test_the_delay_of_the_job_replaces_that_of_the_stream() -> None:
    bound = planned({"a": KEPT}, sources={"s": {"stream": "s", "delay": "90s"}}).node("s").bound
    assert isinstance(bound, SourceBound)
    assert bound.contract.delay == "1m30s"


@pytest.mark.parametrize("delay", ["-1s", "soon", "10us", "400d"])
def test_delays_out_of_range(delay: str) -> None:
    plan = planned({"a": KEPT}, sources={"s": {"stream": "s", "delay": delay}})
    assert found(plan) == [("PARAMETER_RANGE", "sources.s.delay")]


def test_a_delay_of_zero_warns_where_a_window_depends_on_it() -> None:
    sources: dict[str, Any] = {"s": {"stream": "s", "delay": "0s"}}
    assert found(planned({"a": WINDOWED}, sources=sources)) == [("DELAY_ZERO", "sources.s.delay")]
    assert found(planned({"a": KEPT}, sources=sources)) == []
    zero = contract(delay="0s")
    assert found(plan_job(document({"a": WINDOWED}), {"s": zero})) == [("DELAY_ZERO", "sources.s")]
