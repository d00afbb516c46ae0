"""The observed state of one run and its reports."""

import logging
import threading
from typing import Final

from jobs.engine.log_context import about
from jobs.engine.reporter import Reporter
from jobs.engine.run_reports import RunReports
from jobs.kafka_messages import Failure
from jobs.run_states import ENDED, FAILED, STARTING, RunState, may_follow

log: Final = logging.getLogger(__name__)


class ObservedState:
    """The state of one epoch of a run as last reported.

    Which state may follow which is in `jobs.run_states`.
    """

    def __init__(self, reporter: Reporter, reports: RunReports) -> None:
        self._reporter = reporter
        self._reports = reports
        self._lock = threading.Lock()
        self.told: tuple[RunState, Failure | None] = STARTING, None
        """State and failure, of one report."""

    @property
    def state(self) -> RunState:
        """The state."""
        return self.told[0]

    @property
    def failure(self) -> Failure | None:
        """Why; None: not because of a failure."""
        return self.told[1]

    @property
    def ended(self) -> bool:
        """True once the run has stopped or failed."""
        return self.state in ENDED

    def report(self, state: RunState, failure: Failure | None = None) -> None:
        """Enter a state and report it, unless it may not follow the present one. Thread-safe."""
        with self._lock:
            if not may_follow(self.state, state):
                return
            self.told = state, failure
            # No later state may be sent before this one.
            self._reporter.send(self._reports.state(state, failure))
        with about(self._reports.run):
            if failure is None:
                log.info("state: %s", state)
            else:
                level = logging.ERROR if state == FAILED else logging.WARNING
                raw = failure.raw.partition("\n")[0]
                log.log(level, "state: %s (%s). %s %s", state, failure.code, failure.message, raw)
