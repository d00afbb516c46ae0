"""A hypothesis state machine: any order of rows, kills, replays and times without the database. Whatever
happens, each change is told once, and in the end exactly what holds is firing.
"""

from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.alerting import World, channel, row_rule
from tests.support.users import create_user, workspace_of
from weir.alerts.models import Alert, Notification
from weir.alerts.services import store
from weir.results.models import ResultOffset, ResultRow, ResultTopic
from weir.runs.models import Run

pytestmark = pytest.mark.thorough

SYMBOLS = ("A", "B", "C")
PARTITIONS = {"A": 0, "B": 1, "C": 0}


class Machine(RuleBasedStateMachine):
    """The newest row of each symbol says whether its alert has to fire."""

    @initialize()
    def begin(self) -> None:
        for model in (ResultRow, ResultOffset, ResultTopic):
            model.objects.using("results").all().delete()
        owner = create_user(f"ann{Run.objects.count()}")
        self.world = World(workspace_of(owner, f"ops{Run.objects.count()}"), owner)
        channel(self.world.workspace)
        self.world.rule(row_rule(self.world.job))
        self.low: dict[str, float] = {}
        self.replaying = False

    @rule(symbol=st.sampled_from(SYMBOLS), low=st.sampled_from((1.0, 9.0)), told=st.booleans())
    def a_row(self, symbol: str, low: float, told: bool) -> None:
        """`told` False: the process is killed between storing it and evaluating it."""
        self.low[symbol] = low
        self.world.rows({"symbol": symbol, "low": low}, partition=PARTITIONS[symbol], told=told)
        if not told:
            self.world.crash()

    @rule()
    def killed(self) -> None:
        self.world.crash()

    @rule()
    def time_passes(self) -> None:
        self.world.follow()
        self.world.evaluator.tick()

    @rule(symbol=st.sampled_from(SYMBOLS), low=st.sampled_from((1.0, 9.0)))
    def the_database_is_away(self, symbol: str, low: float) -> None:
        def away(*_: Any) -> None:
            raise DatabaseError("locked")

        before, store._write_alerts = store._write_alerts, away  # type: ignore[assignment]
        try:
            self.low[symbol] = low
            self.world.rows({"symbol": symbol, "low": low}, partition=PARTITIONS[symbol])
        finally:
            store._write_alerts = before  # type: ignore[assignment]

    @precondition(lambda self: not self.replaying)
    @rule()
    def replay_begins(self) -> None:
        self.replaying = True
        Run.objects.filter(pk=self.world.run.pk).update(observed="replaying")
        self.world.follow()

    @precondition(lambda self: self.replaying)
    @rule()
    def replay_ends(self) -> None:
        self.replaying = False
        Run.objects.filter(pk=self.world.run.pk).update(observed="running", last_seen_at=timezone.now())
        self.world.follow()

    @invariant()
    def each_change_is_told_once_and_in_order(self) -> None:
        alerts = Alert.objects.filter(workspace=self.world.workspace)
        told = Notification.objects.filter(workspace=self.world.workspace)
        assert told.filter(change="fired").count() == alerts.count()
        assert told.filter(change="resolved").count() == alerts.filter(state="resolved").count()

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        if self.replaying:
            self.replay_ends()
        self.world.crash()
        self.time_passes()
        firing = Alert.objects.filter(workspace=self.world.workspace, state="firing")
        holds = {symbol for symbol, low in self.low.items() if low < 5}
        assert {alert.group["symbol"] for alert in firing} == holds
        assert firing.count() == len(holds)


@pytest.mark.django_db(databases=["default", "results"])
def test_any_order_of_rows_and_kills() -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )
