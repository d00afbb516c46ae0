"""Beat sends its ticks whatever its host's clock does."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.schedules import schedule

from weir.project.beat_clock import SetBackScheduler
from weir.project.celery import app as own_app

BEGIN = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Clock:
    """A clock that moves when it is told to."""

    now = BEGIN


def now() -> datetime:
    """What the clock shows; beat keeps it with its schedule, by name."""
    return Clock.now


class Beat:
    """A process beat that notes what it sends."""

    def __init__(self, folder: Path) -> None:
        app = Celery("test", broker="memory://", set_as_current=False)
        app.conf.beat_schedule = {
            name: {"task": name, "schedule": schedule(seconds, nowfun=now)}
            for name, seconds in (("often", 2.0), ("seldom", 600.0))
        }
        self.sent: list[str] = []
        self.scheduler = SetBackScheduler(app=app, schedule_filename=str(folder / "beat"))
        self.scheduler.apply_async = self._send

    def _send(self, entry: Any, **_: object) -> None:
        self.sent.append(entry.task)

    def run(self, seconds: float) -> list[str]:
        """What is sent within so many seconds."""
        self.sent.clear()
        until = Clock.now + timedelta(seconds=seconds)
        for _ in range(10_000):
            pause = self.scheduler.tick()
            Clock.now = min(Clock.now + timedelta(seconds=max(pause, 0.001)), until)
            if Clock.now == until:
                return list(self.sent)
        raise AssertionError("beat does not wait between its ticks")


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "now", BEGIN)


def test_ticks_go_on_after_the_clock_was_set_back(tmp_path: Path) -> None:
    beat = Beat(tmp_path)
    assert beat.run(700).count("often") > 300
    Clock.now -= timedelta(hours=1)
    sent = beat.run(700)
    assert sent.count("often") > 300
    assert sent.count("seldom") == 1


def test_ticks_go_on_when_beat_starts_after_the_clock_was_set_back(tmp_path: Path) -> None:
    before = Beat(tmp_path)
    before.run(10)
    before.scheduler.close()
    Clock.now -= timedelta(hours=1)
    assert Beat(tmp_path).run(10).count("often") >= 4


def test_a_tick_is_sent_no_more_often_than_it_should(tmp_path: Path) -> None:
    assert Beat(tmp_path).run(60).count("often") <= 31


def test_beat_goes_by_it() -> None:
    service = own_app.Beat().Service(app=own_app, scheduler_cls=own_app.conf.beat_scheduler)
    assert isinstance(service.get_scheduler(lazy=True), SetBackScheduler)
