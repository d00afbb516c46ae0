"""Builds the reports of one run."""

from typing import Any

from jobs.engine.progress import BatchProgress
from jobs.engine.reporter import now_us
from jobs.kafka_messages import (
    CatchingUp,
    CopyReport,
    DesiredRun,
    EngineSettings,
    Failure,
    PartitionProgress,
    PositionsReport,
    ProgressReport,
    RunStateReport,
    SourceRead,
    StartPhase,
    ValidatedRange,
    ValidationReport,
)
from jobs.run_states import RunState


class RunReports:
    """Builds the reports of one run, with the epoch and revision of `run`, which may be replaced."""

    def __init__(self, settings: EngineSettings, run: DesiredRun) -> None:
        self._settings = settings
        self.run = run
        self._phases: dict[StartPhase, int] = {}  # replaced, never mutated: several threads report

    def reached(self, phase: StartPhase, at_us: int | None = None) -> None:
        """Note when the epoch reached a phase of its start for the first time. at_us: None: now."""
        if phase not in self._phases:
            self._phases = {**self._phases, phase: now_us() if at_us is None else at_us}

    def state(self, state: RunState, failure: Failure | None) -> RunStateReport:
        """A change of the run's state."""
        return RunStateReport(
            **self._header(),
            revision=self.run.revision,
            state=state,
            failure=failure,
            phases_us=dict(self._phases),
        )

    def progress(self, batch: BatchProgress, query: str | None) -> ProgressReport:
        """The progress of a batch. query: its query; None: the run has only one."""
        return ProgressReport(
            **self._header(),
            query=query,
            batch=batch.batch,
            began_us=batch.began_us,
            duration_ms=batch.duration_ms,
            rows_in=batch.rows_in,
            rows_out=batch.rows_out,
            sources=batch.sources,
            watermark_us=batch.watermark_us,
            source_watermarks_us=batch.source_watermarks_us,
            late=batch.late,
            malformed=batch.malformed,
            read=batch.read,
            expression_nulls=batch.expression_nulls,
            limit_reached=batch.limit_reached,
            given=batch.given,
            steps=batch.steps,
            state_rows=batch.state_rows,
            state_bytes=batch.state_bytes,
            state_load_ms=batch.state_load_ms,
            durations_ms=batch.durations_ms,
        )

    def static_read(self, read: dict[str, SourceRead]) -> CopyReport:
        """What was read of static inputs, by source."""
        return CopyReport(**self._header(), read=read)

    def validation(self, batch: int, ranges: tuple[ValidatedRange, ...]) -> ValidationReport:
        """The counts of a validator's batch."""
        (source,) = self.run.sources.values()
        return ValidationReport(
            **self._header(),
            batch=batch,
            topic_id=source.topic_id,
            ranges=ranges,
        )

    def positions(
        self,
        sources: dict[str, dict[int, PartitionProgress]],
        *,
        draining: bool,
        catching_up: CatchingUp | None,
    ) -> PositionsReport:
        """The run's current positions, by source and partition; None for what is unknown."""
        return PositionsReport(
            **self._header(),
            sources=sources,
            draining=draining,
            catching_up=catching_up,
        )

    def _header(self) -> dict[str, Any]:
        """The fields of every `jobs.kafka_messages.RunReport`."""
        return {
            "at_us": now_us(),
            "engine_id": self._settings.engine_id,
            "incarnation": self._settings.incarnation,
            "run_id": self.run.run_id,
            "epoch": self.run.epoch,
        }
