"""The current state of runs in a web process: from weir.runs, from weir.reports, and from the
database at a subscription.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jobs.base.set_back_clock import latest_us
from jobs.kafka_messages import (
    DesiredRun,
    Failure,
    HeartbeatReport,
    LogReport,
    ProgressReport,
    Report,
    RunStateReport,
)
from jobs.run_states import ENDED, REPLAY_OVER, REPLAYING, STARTING, RunState, shown_state


@dataclass(slots=True)
class RunStatus:
    """The status of one run, as last reported.

    Attributes:
        run_id: id of the run.
        job_id: its job.
        generation: the generation that it executes.
        topic: its result topic.
        epoch: the greatest known epoch.
        desired: what the user asked for.
        state: last reported state of `epoch`.
        failure: why it failed, as JSON.
        seen_us: when its last report was sent; None: never.
        buffering: rows are buffered, because the run replays input up to the
            positions that were reported last.
        watermark_us: watermark of its last batch, event time; None: not known.
        placed: an engine has it; False: it is queued for one.
    """

    run_id: str
    job_id: str
    generation: int
    topic: str
    epoch: int
    desired: str
    state: str = STARTING
    failure: dict[str, Any] | None = None
    seen_us: int | None = None
    buffering: bool = False
    watermark_us: int | None = None
    placed: bool = True


@dataclass(slots=True)
class RunRegistry:
    """Statuses of runs by id. `changed` is called with a job's id after any change except that of `seen_us`.

    `read_until_us`: all reports sent before this instant are read; None: not known yet.
    """

    changed: Callable[[str], None]
    runs: dict[str, RunStatus] = field(default_factory=dict)
    read_until_us: int | None = None
    # Every start that ever was of a job that still exists is a run.
    _of_job: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def of_job(self, job_id: str) -> RunStatus | None:
        """The run of the job's newest generation."""
        found = (self.runs[run_id] for run_id in self._of_job.get(job_id, ()))
        return max(found, key=lambda run: run.generation, default=None)

    def on_read(self, until_us: int) -> None:
        """Note that all reports sent before this instant are read."""
        self.read_until_us = max(_known(self.read_until_us), until_us)

    def shown_state(self, view: RunStatus, now_us: int) -> str:
        """A run's state, or ``unknown`` when it should be live but is silent
        (`jobs.run_states.shown_state`).
        """
        return shown_state(view.state, view.seen_us, self.read_until_us, now_us, placed=view.placed)

    def learn(self, view: RunStatus) -> None:
        """Apply the status of a run in the database, unless a newer one is known. An end is the newest of its
        epoch: the platform concludes one that no engine reported.
        """
        known = self.runs.get(view.run_id)
        if known is None:
            self._put(view)
            self.changed(view.job_id)
        elif view.epoch == known.epoch and view.state in ENDED:
            view.seen_us = max(_known(view.seen_us), _known(known.seen_us)) or None
            self._replace(known, view)
        elif (view.epoch, _known(view.seen_us)) > (known.epoch, _known(known.seen_us)):
            self._replace(known, view)

    def apply_desired(self, run_id: str, desired: DesiredRun | None) -> None:
        """Apply a record of weir.runs; None is a tombstone."""
        known = self.runs.get(run_id)
        if desired is None:
            if known is not None:
                self._remove(known)
                self.changed(known.job_id)
            return
        if known is not None and desired.epoch < known.epoch:
            return
        wish = desired.desired or desired.state
        if known is not None and desired.epoch == known.epoch:
            known.placed = bool(desired.engine_id)
            if known.desired != wish:
                known.desired = wish
                self.changed(known.job_id)
            return
        view = RunStatus(
            run_id, desired.job_id, desired.generation, desired.result_topic, desired.epoch, wish
        )
        view.placed = bool(desired.engine_id)
        view.buffering = any(desired.replay_until.values())
        view.watermark_us = known.watermark_us if known is not None else None
        self._put(view)
        self.changed(view.job_id)

    def apply_report(self, report: Report) -> None:
        """Apply a report of an engine."""
        match report:
            case RunStateReport():
                self._apply_state(report.run_id, report.epoch, report.at_us, report.state, report.failure)
            case HeartbeatReport():
                for run_id, beat in report.runs.items():
                    self._apply_state(run_id, beat.epoch, report.at_us, beat.state, beat.failure)
            case LogReport():
                # Of another producer than the states: it may overtake one, which must not look old then.
                return
            case _:
                known = self.runs.get(report.run_id)
                if known is not None and known.epoch == report.epoch:
                    known.seen_us = max(_known(known.seen_us), report.at_us)
                    if isinstance(report, ProgressReport) and report.watermark_us is not None:
                        known.watermark_us = report.watermark_us

    def _apply_state(
        self, run_id: str, epoch: int, at_us: int, state: RunState, failure: Failure | None
    ) -> None:
        known = self.runs.get(run_id)
        if known is None or epoch < known.epoch or at_us < _known(known.seen_us):
            return
        if epoch == known.epoch and known.state in ENDED and state in ENDED:
            known.seen_us = at_us
            return  # an engine that starts later calls a failed run stopped
        reported = failure.model_dump(mode="json") if failure else None
        buffering = state == REPLAYING or (known.buffering and state not in REPLAY_OVER)
        before = (known.epoch, known.state, known.failure, known.buffering)
        known.epoch, known.state, known.failure, known.buffering, known.seen_us = (
            epoch,
            state,
            reported,
            buffering,
            at_us,
        )
        if before != (epoch, state, reported, buffering):
            self.changed(known.job_id)

    def _put(self, view: RunStatus) -> None:
        self.runs[view.run_id] = view
        self._of_job[view.job_id].add(view.run_id)

    def _remove(self, view: RunStatus) -> None:
        del self.runs[view.run_id]
        rest = self._of_job[view.job_id]
        rest.discard(view.run_id)
        if not rest:
            del self._of_job[view.job_id]

    def _replace(self, known: RunStatus, view: RunStatus) -> None:
        self._put(view)
        if _told(known) != _told(view):
            self.changed(view.job_id)


def _known(at_us: int | None) -> int:
    """An instant that was noted, µs; 0 where there is none, or it was noted before the clock was set back."""
    return 0 if at_us is None or at_us > latest_us() else at_us


def _told(view: RunStatus) -> tuple[object, ...]:
    return (view.epoch, view.state, view.failure, view.desired, view.buffering)
