"""A job whose reports come as an engine sends them, on a clock of the test's own, and the relay that judges
it.
"""

from jobs.base.instants import Instant, datetime_of
from jobs.kafka_messages import PartitionProgress, PositionsReport
from tests.support.run_factories import now_us
from weir.relay.health import HealthRecorder
from weir.relay.history import HistoryRecorder
from weir.runs.models import Generation, Run
from weir.runs.services import report_handlers

SECOND = 1_000_000
TOPIC = "trades"


class PlayedJob:
    """One source of one partition. The clock begins with the present and moves with `play`.

    Args:
        run: that reports.
        commit_s: between two commits: a checkpoint of real-time mode.
    """

    def __init__(self, run: Run, commit_s: int = 40) -> None:
        self.run = run
        self.commit_s = commit_s
        self.history = HistoryRecorder()
        self.health = HealthRecorder(self.history.tracker)
        self.at_us = now_us()
        self.end = self.reached = self.committed = 1_000.0
        self._second = 0
        source = {"stream": "trades", "topic": TOPIC, "cluster": {"cluster_id": "home", "bootstrap": "x:1"}}
        Generation.objects.filter(pk=run.generation_id).update(sources={"trades": source})
        self.history.follow_runs()

    def play(self, seconds: int, written: float, capacity: float) -> list[str]:
        """Let time go by: each second records are written and read, and the engine says so.

        Args:
            seconds: how many.
            written: records per second.
            capacity: records per second that the job reads at most.

        Returns:
            The kinds that were stored, one per look.
        """
        kinds: list[str] = []
        for _ in range(seconds):
            self._second += 1
            self.at_us += SECOND
            self.end += written
            self.reached = min(self.end, self.reached + capacity)
            if self._second % self.commit_s == 0:
                self.committed = self.reached
            self.history.apply([self._report()])
            self._heard()
            if self._second % 3 == 0:
                self.health.store(self.at_us)
                self.run.refresh_from_db()
                kinds.append((self.run.lag_health or {"kind": "none"})["kind"])
        return kinds

    def silence(self, seconds: int) -> None:
        """The engine says nothing, and everything that was said is read."""
        self.at_us += seconds * SECOND
        report_handlers.reports_read(self.at_us)
        self.health.store(self.at_us)
        self.run.refresh_from_db()

    def seconds_until(self, kind: str, looks: list[str]) -> int:
        """How many seconds of the looks passed until this kind."""
        return 3 * (looks.index(kind) + 1)

    def _report(self) -> PositionsReport:
        reached = int(self.reached)
        progress = PartitionProgress(committed=int(self.committed), fetched=reached, end=int(self.end))
        return PositionsReport(
            at_us=self.at_us,
            engine_id=self.run.engine_id or "",
            incarnation="inc-1",
            run_id=self.run.pk,
            epoch=self.run.epoch,
            sources={"trades": {0: progress}},
        )

    def _heard(self) -> None:
        Run.objects.filter(pk=self.run.pk).update(last_seen_at=datetime_of(Instant(self.at_us)))
        report_handlers.reports_read(self.at_us)
