"""Ticks of the process beat after its host's clock was set back."""

from typing import Any

from celery.beat import PersistentScheduler


class SetBackScheduler(PersistentScheduler):  # type: ignore[misc]  # celery has no types
    """Sends ticks also after the clock was set back, while beat ran or between two of its processes: a tick
    that was last sent later than now would be sent next when the clock comes there again.
    """

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send what is due, and return the seconds until the next tick (celery's `Scheduler.tick`)."""
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # it has the instants of the clock before
        return float(super().tick(*arguments, **options))
