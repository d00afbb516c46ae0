"""What a web process knows about runs right now: from weir.runs, from weir.reports, and from the database at a subscription."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.messages import DesiredRun, Failure, HeartbeatReport, ProgressReport, Report, RunState, RunStateReport
from weir.runs.silence import is_silent

_LIVE: Final = frozenset({"running", "replaying", "waiting", "stopping"})
_PAST_REPLAY: Final = frozenset({"running", "stopped", "failed"})


@dataclass(slots=True)
class RunStatus:
    """One run, as last heard.

    Attributes:
        run_id: of the run.
        job_id: whose run it is.
        generation: that it executes.
        topic: of its results.
        epoch: the greatest that is known.
        desired: what was asked for.
        state: what was last reported under `epoch`.
        failure: why it failed, as JSON.
        heard_us: when it was last heard; None for never.
        holding: its output runs backwards: input positions last heard are not yet passed.
        watermark_us: event time as its last batch knew it; None: not known.
    """

    run_id: str
    job_id: str
    generation: int
    topic: str
    epoch: int
    desired: str
    state: str = "starting"
    failure: dict[str, Any] | None = None
    heard_us: int | None = None
    holding: bool = False
    watermark_us: int | None = None


@dataclass(slots=True)
class RunRegistry:
    """Runs by id. `changed` is called with a job's id after anything but the time it was heard moved.

    `read_until_us` is the instant before which all reports are read; None: not known yet.
    """

    changed: Callable[[str], None]
    runs: dict[str, RunStatus] = field(default_factory=dict)
    read_until_us: int | None = None

    def of_job(self, job_id: str) -> RunStatus | None:
        """The run of the job's newest generation."""
        found = [run for run in self.runs.values() if run.job_id == job_id]
        return max(found, key=lambda run: run.generation, default=None)

    def on_read(self, until_us: int) -> None:
        """All reports that were written before this instant are read."""
        self.read_until_us = max(self.read_until_us or 0, until_us)

    def shown_state(self, view: RunStatus, now_us: int) -> str:
        """A run's state, or ``unknown`` when it should be live and is silent (`weir.runs.silence`)."""
        if view.state not in _LIVE:
            return view.state
        return "unknown" if view.heard_us is None or is_silent(view.heard_us, self.read_until_us, now_us) else view.state

    def learn(self, view: RunStatus) -> None:
        """Take in a run as the database knows it, unless something newer is known."""
        known = self.runs.get(view.run_id)
        if known is None:
            self.runs[view.run_id] = view
            self.changed(view.job_id)
        elif (view.epoch, view.heard_us or 0) > (known.epoch, known.heard_us or 0):
            self._replace(known, view)

    def take_desired(self, run_id: str, desired: DesiredRun | None) -> None:
        """Take in a record of weir.runs; None is its tombstone."""
        known = self.runs.get(run_id)
        if desired is None:
            if known is not None:
                del self.runs[run_id]
                self.changed(known.job_id)
            return
        if known is not None and desired.epoch < known.epoch:
            return
        if known is not None and desired.epoch == known.epoch:
            if known.desired != desired.state:
                known.desired = desired.state
                self.changed(known.job_id)
            return
        view = RunStatus(run_id, desired.job_id, desired.generation, desired.result_topic, desired.epoch, desired.state)
        view.holding = any(desired.replay_until.values())
        view.watermark_us = known.watermark_us if known is not None else None
        self.runs[run_id] = view
        self.changed(view.job_id)

    def take_report(self, report: Report) -> None:
        """Take in what an engine says."""
        match report:
            case RunStateReport():
                self._heard(report.run_id, report.epoch, report.at_us, report.state, report.failure)
            case HeartbeatReport():
                for run_id, beat in report.runs.items():
                    self._heard(run_id, beat.epoch, report.at_us, beat.state, beat.failure)
            case _:
                known = self.runs.get(report.run_id)
                if known is not None and known.epoch == report.epoch:
                    known.heard_us = max(known.heard_us or 0, report.at_us)
                    if isinstance(report, ProgressReport) and report.watermark_us is not None:
                        known.watermark_us = report.watermark_us

    def _heard(self, run_id: str, epoch: int, at_us: int, state: RunState, failure: Failure | None) -> None:
        known = self.runs.get(run_id)
        if known is None or epoch < known.epoch or at_us < (known.heard_us or 0):
            return
        told = failure.model_dump(mode="json") if failure else None
        holding = state == "replaying" or (known.holding and state not in _PAST_REPLAY)
        before = (known.epoch, known.state, known.failure, known.holding)
        known.epoch, known.state, known.failure, known.holding, known.heard_us = epoch, state, told, holding, at_us
        if before != (epoch, state, told, holding):
            self.changed(known.job_id)

    def _replace(self, known: RunStatus, view: RunStatus) -> None:
        self.runs[known.run_id] = view
        if (known.epoch, known.state, known.desired, known.holding) != (view.epoch, view.state, view.desired, view.holding):
            self.changed(view.job_id)
