"""Objectives: judged as time passes, with budget and burn rates."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from tests.support.alerting import World, metric_rule
from weir.alerts.models import Alert, Objective, ObjectiveSlice
from weir.alerts.services.budgets import budgets_of, stored_budget
from weir.alerts.services.objective_tracker import ObjectiveTracker
from weir.alerts.services.objectives import create_objective, history
from weir.alerts.services.readings import Subject, Taken
from weir.measurements import Snapshot
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


def objective(world: World, kind: str = "freshness", threshold: float | None = 10) -> Objective:
    return create_objective(world.job, world.owner, kind, threshold, 0.9, 28)


def seen(now: datetime) -> Snapshot:
    """A look in which nothing was measured."""
    return Snapshot(now, None, [], [], [], [])


def looked(world: World, tracker: ObjectiveTracker, metric: str, values: list[float | None]) -> None:
    """A look each 5 s; None: unknown."""
    now = timezone.now().replace(minute=2, second=0)
    subject = Subject(world.workspace.pk, "job", (("job", world.job.pk),), "Job", world.job.pk)
    for at, value in enumerate(values):
        taken = Taken()
        taken.put(metric, subject, value)
        tracker.take(taken, seen(now + timedelta(seconds=5 * at)))
    tracker._store()


def test_time_is_good_bad_or_not_judged(world: World) -> None:
    made = objective(world)
    looked(world, ObjectiveTracker(), "job.freshness_seconds", [1.0, 1.0, 11.0, None, 10.0])
    part = ObjectiveSlice.objects.get()
    assert (part.good_s, part.judged_s) == (10, 15)
    assert [(good, judged) for _, good, judged in history(made, timezone.now() + timedelta(hours=1))] == [
        (10, 15)
    ]


def test_a_pause_is_not_judged(world: World) -> None:
    objective(world, "availability", None)
    tracker = ObjectiveTracker()
    now = timezone.now()
    subject = Subject(world.workspace.pk, "job", (("job", world.job.pk),), "Job", world.job.pk)
    for at in (0, 60):
        taken = Taken()
        taken.put("job.not_running_seconds", subject, 0.0)
        tracker.take(taken, seen(now + timedelta(seconds=at)))
    assert not ObjectiveSlice.objects.exists()


def test_budget_and_burn(world: World) -> None:
    made = objective(world)
    now = timezone.now()

    def part(minutes_ago: int, good: float) -> None:
        ObjectiveSlice.objects.create(
            objective=made, began_at=now - timedelta(minutes=minutes_ago), good_s=good, judged_s=300
        )

    part(60 * 24, 300)
    part(2, 150)
    budget = budgets_of([made], now)[made.pk]
    assert budget.attained == pytest.approx(0.75)
    assert budget.left == pytest.approx(-1.5)  # 10 % of 600 s may be bad, 150 s are
    # Of an hour 360 s may be bad, of six hours 2,160, and 150 s are; of the short spans it is more.
    assert budget.fast_burn == pytest.approx(150 / 360)
    assert budget.slow_burn == pytest.approx(150 / 2_160)


def test_the_seconds_of_a_start_after_a_pause_are_no_fast_burn(world: World) -> None:
    """A paused job isn't judged, so that they are all that is known of the hour."""
    made = create_objective(world.job, world.owner, "availability", None, 0.99, 28)
    now = timezone.now()
    ObjectiveSlice.objects.create(objective=made, began_at=now - timedelta(minutes=1), good_s=8, judged_s=20)
    budget = budgets_of([made], now)[made.pk]
    assert budget.fast_burn == pytest.approx(12 / 36)


def test_the_relay_stores_what_it_knows_of_budgets(world: World) -> None:
    made = objective(world)
    now = timezone.now()
    ObjectiveSlice.objects.create(
        objective=made, began_at=now - timedelta(minutes=2), good_s=285, judged_s=300
    )
    ObjectiveTracker().take(Taken(), seen(now))
    stored = Objective.objects.get()
    known = stored_budget(stored, now)
    assert known == budgets_of([made], now)[made.pk]
    assert known is not None
    assert known.left == pytest.approx(0.5)
    assert stored_budget(stored, now + timedelta(minutes=3)) is None, "nobody knows it any more"


def test_an_objective_that_was_never_judged_knows_nothing(world: World) -> None:
    made = objective(world)
    budget = budgets_of([made], timezone.now())[made.pk]
    assert (budget.attained, budget.left, budget.fast_burn) == (None, None, None)


def test_a_rule_over_a_burn_rate_fires(world: World) -> None:
    made = objective(world)
    ObjectiveSlice.objects.create(
        objective=made, began_at=timezone.now() - timedelta(minutes=2), good_s=0, judged_s=300
    )
    world.rule(metric_rule("objective.fast_burn", above=0.5))
    world.evaluator.tick()
    assert Alert.objects.get().title == f"Freshness of job {world.job.name}"


@pytest.mark.parametrize(
    ("kind", "threshold", "target", "days"),
    [
        ("freshness", None, 0.9, 28),
        ("completeness", 2, 0.9, 28),
        ("freshness", 1, 1.0, 28),
        ("freshness", 1, 0.9, 0),
        ("freshness", 1, 0.9, 91),
        ("freshness", -1, 0.9, 1),
    ],
)
def test_what_is_no_objective(
    world: World, kind: str, threshold: float | None, target: float, days: int
) -> None:
    with pytest.raises(ServiceError):
        create_objective(world.job, world.owner, kind, threshold, target, days)
