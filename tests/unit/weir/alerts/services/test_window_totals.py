"""What is kept of the windows of objectives is what reading all their slices would give."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.alerting import World
from weir.alerts.models import Objective, ObjectiveSlice
from weir.alerts.services.budgets import budgets_of
from weir.alerts.services.window_totals import WindowTotals
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


def test_looks_over_three_days_give_what_one_look_gives(world: World) -> None:
    chance, now = random.Random(1), timezone.now()
    totals = WindowTotals()
    made: list[Objective] = []
    for step in range(70):
        now += timedelta(minutes=chance.choice([1, 30, 90]))
        if step in (0, 20, 40):  # others come later
            chosen = {"kind": "freshness", "output": f"o{step}", "threshold": 5, "target": 0.9}
            about = {"workspace": world.workspace, "job": world.job, "window_days": 1 + step // 20}
            made.append(Objective.objects.create(**about, **chosen))
        if step == 50:
            made[0].window_days = 3
            made[0].save()
        if step == 60:
            made.pop(1).delete()
        for one in made:
            judged = chance.choice([0, 150, 300])
            ObjectiveSlice.objects.create(
                objective=one, began_at=now, judged_s=judged, good_s=judged * chance.random()
            )
        kept, read = budgets_of(made, now, totals), budgets_of(made, now)
        assert kept.keys() == read.keys()
        for pk, budget in read.items():
            assert kept[pk].judged_s == pytest.approx(budget.judged_s, abs=1e-6)
            assert kept[pk].bad_s == pytest.approx(budget.bad_s, abs=1e-6)


def test_a_look_reads_what_came_and_left(world: World) -> None:
    now, totals = timezone.now(), WindowTotals()
    made = Objective.objects.create(
        workspace=world.workspace, job=world.job, kind="freshness", threshold=5, target=0.9
    )
    ObjectiveSlice.objects.create(objective=made, began_at=now - timedelta(days=2), judged_s=300, good_s=200)
    assert budgets_of([made], now, totals)[made.pk].bad_s == 100
    ObjectiveSlice.objects.all().delete()  # nobody reads it again
    assert budgets_of([made], now + timedelta(seconds=30), totals)[made.pk].bad_s == 100


def test_after_a_clock_was_set_back_nothing_is_counted_twice(world: World) -> None:
    now, totals = timezone.now(), WindowTotals()
    made = Objective.objects.create(
        workspace=world.workspace, job=world.job, kind="freshness", threshold=5, target=0.9
    )
    for hours in (7, 8, 30):
        began_at = now - timedelta(hours=hours)
        ObjectiveSlice.objects.create(objective=made, began_at=began_at, judged_s=300, good_s=200)
    for hours in (0, -1.5, -1.4, 0, 24):
        looked_at = now + timedelta(hours=hours)
        kept = budgets_of([made], looked_at, totals)[made.pk]
        assert kept.bad_s == budgets_of([made], looked_at)[made.pk].bad_s == 300
