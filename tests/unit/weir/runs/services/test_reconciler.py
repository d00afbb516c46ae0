"""In which order a tick of the reconciler asks and hands on."""

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from weir.runs.models import ReconcilerState
from weir.runs.services import reconciler
from weir.runs.task_queue import RECONCILE_ENGINE

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def done(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What ticks did, beside a broker that does not answer."""
    settings.WARM_ENGINE = True
    found: list[str] = []

    def ask(_: datetime) -> bool:
        found.append("asked the broker")
        return False

    def hand_on(task: str, *_: Any, **__: Any) -> None:
        found.append(task)

    monkeypatch.setattr(reconciler, "probe_home_cluster", ask)
    monkeypatch.setattr(reconciler, "enqueue", hand_on)
    return found


def test_engines_of_a_system_that_starts_again_do_not_wait_for_the_broker(done: list[str]) -> None:
    ReconcilerState.objects.create(pk=1, broker_answers_since=timezone.now())
    reconciler.reconcile()
    assert done == [RECONCILE_ENGINE, "asked the broker"]


def test_beside_a_broker_that_is_away_none_is_started(done: list[str]) -> None:
    ReconcilerState.objects.create(pk=1, broker_answers_since=None)
    reconciler.reconcile()
    assert done == ["asked the broker"]
