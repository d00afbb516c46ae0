"""When a query is restarted to reload its broadcast tables."""

from typing import Any

import pytest

from jobs.engine.broadcast_refresh import RefreshTimer, refresh_now
from jobs.plan import Plan, plan_job
from tests.support.plan_helpers import contract, document


class Query:
    """A query that rests, or does not."""

    def __init__(self, *, busy: bool) -> None:
        self.status = {"isTriggerActive": busy}


def plan_of(*refreshes: str | None) -> Plan:
    steps: dict[str, Any] = {}
    for at, refresh in enumerate(refreshes):
        above = f"j{at - 1}" if at else "s"
        copied = {} if refresh is None else {"refresh": refresh}
        steps[f"j{at}"] = {
            "op": "table_join",
            "input": above,
            "table": "t",
            "on": {"k": "id"},
            "prefix": f"t{at}_",
            "broadcast": copied,
        }
    written = document(steps, sources={"s": {"stream": "s"}, "t": {"table": "t"}})
    plan = plan_job(
        written, {"s": contract(), "t": contract({"id": "string", "v": "int"}, kind="table", key=["id"])}
    )
    assert plan.ok
    return plan


@pytest.mark.parametrize(
    ("seconds", "busy", "due"),
    [(19.9, False, False), (20, False, True), (20, True, False), (49.9, True, False), (50, True, True)],
)
def test_the_shortest_span_counts_and_a_busy_query_is_waited_for(
    seconds: float, busy: bool, due: bool
) -> None:
    now = [1_000.0]
    timer = RefreshTimer(plan_of("1m", "20s", None), clock=lambda: now[0])
    now[0] += seconds
    assert refresh_now([timer], [Query(busy=busy)]) is due  # type: ignore[list-item]


@pytest.mark.parametrize("plan", [None, plan_of(None)])
def test_without_a_span_it_is_never_due(plan: Plan | None) -> None:
    now = [0.0]
    timer = RefreshTimer(plan, clock=lambda: now[0])
    now[0] = 1e9
    assert not refresh_now([timer], [Query(busy=False)])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("seconds", "busy", "due"),
    [
        (19.9, (False, False), False),
        (20, (False, False), True),
        (20, (False, True), False),
        (20, (True, False), False),
        (50, (False, True), True),
    ],
)
def test_no_query_of_a_run_is_interrupted_because_another_one_rests(
    seconds: float, busy: tuple[bool, bool], due: bool
) -> None:
    """They are restarted together, and a batch that is repeated would find another table."""
    now = [1_000.0]
    timers = [RefreshTimer(plan, clock=lambda: now[0]) for plan in (plan_of("20s"), plan_of("20s"))]
    now[0] += seconds
    assert refresh_now(timers, [Query(busy=one) for one in busy]) is due  # type: ignore[misc]
