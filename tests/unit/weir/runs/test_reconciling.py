"""In which order a tick of the reconciler asks and hands on."""

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from weir.runs.models import Surroundings
from weir.runs.queueing import TEND_ENGINE
from weir.runs.services import reconciling

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

    monkeypatch.setattr(reconciling, "look_around", ask)
    monkeypatch.setattr(reconciling, "enqueue", hand_on)
    return found


def test_engines_of_a_system_that_starts_again_do_not_wait_for_the_broker(done: list[str]) -> None:
    Surroundings.objects.create(pk=1, broker_answers_since=timezone.now())
    reconciling.reconcile()
    assert done == [TEND_ENGINE, "asked the broker"]


def test_beside_a_broker_that_is_away_none_is_started(done: list[str]) -> None:
    Surroundings.objects.create(pk=1, broker_answers_since=None)
    reconciling.reconcile()
    assert done == ["asked the broker"]
