"""The observed state of one run and its reports."""

import threading

from jobs.engine.reporter import Reporter
from jobs.engine.run_reports import RunReports
from jobs.kafka_messages import Failure
from jobs.run_states import ENDED, STARTING, RunState, may_follow


class ObservedState:
    """The state of one epoch of a run as last reported.

    Which state may follow which is in `jobs.run_states`.
    """

    def __init__(self, reporter: Reporter, reports: RunReports) -> None:
        self._reporter = reporter
        self._reports = reports
        self._lock = threading.Lock()
        self.state: RunState = STARTING
        self.failure: Failure | None = None

    @property
    def ended(self) -> bool:
        """True once the run has stopped or failed."""
        return self.state in ENDED

    def report(self, state: RunState, failure: Failure | None = None) -> None:
        """Enter a state and report it, unless it may not follow the present one. Thread-safe."""
        with self._lock:
            if not may_follow(self.state, state):
                return
            self.state, self.failure = state, failure
        self._reporter.send(self._reports.state(state, failure))
