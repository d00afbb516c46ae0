"""Lag of runs, from engines' reports and topics' end offsets. Pure: no broker, no database, no clock."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.kafka_messages import CopyReport, PartitionProgress, PositionsReport, ProgressReport, StepState
from jobs.operators.forecasts import total
from weir.lag.services.batch_rates import BatchRates
from weir.lag.services.end_offsets import EndOffsetHistory
from weir.lag.services.rates import ReadRate
from weir.lag.services.run_counts import RunCounts
from weir.lag.services.skipping import SourceSkips, Threshold

Topic = tuple[str, str]  # cluster id, topic name
COUNTERS: Final = ("malformed", "late", "expression_nulls", "limit_reached")
MAX_END_AGE_US: Final = 2_000_000  # an older end offset is fetched again
MAX_END_SILENCE_US: Final = 30_000_000
"""An end offset that was seen before says nothing of the present: its cluster has not answered since."""


@dataclass(slots=True)
class Position:
    """Position of a run in one partition. `fetched` is None in micro-batch mode."""

    committed: int | None = None
    fetched: int | None = None

    @property
    def reached(self) -> int | None:
        """The furthest known next offset."""
        known = [offset for offset in (self.committed, self.fetched) if offset is not None]
        return max(known) if known else None


@dataclass(slots=True)
class RunLag:
    """Positions, rates and counters of one run."""

    job_id: str
    epoch: int
    topics: dict[str, Topic]  # source name → topic
    positions: dict[str, dict[int, Position]] = field(default_factory=dict)
    watermark_us: int | None = None
    source_watermarks_us: dict[str, int] = field(default_factory=dict)
    read: ReadRate = field(default_factory=ReadRate)
    passed: Counter[str] = field(default_factory=Counter)  # records by source, since the run is followed
    unrated: Counter[str] = field(default_factory=Counter)  # those of them that came before `read` begins
    begun: set[str] = field(default_factory=set)  # sources of which a batch was reported
    given: BatchRates = field(default_factory=BatchRates)
    steps: dict[str, StepState] = field(default_factory=dict)  # what each step with state keeps
    state_rows: int | None = None
    state_bytes: int | None = None
    duration_ms: int | None = None
    malformed: int = 0
    late: int = 0
    expression_nulls: int = 0
    limit_reached: int = 0
    skips: dict[str, SourceSkips] = field(default_factory=dict)  # by source
    counts: RunCounts = field(default_factory=RunCounts)

    @property
    def counted(self) -> dict[str, int]:
        """Counters since the run is followed."""
        return {name: getattr(self, name) for name in COUNTERS}


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over a run's partitions; None if one of them is unknown, or there is none yet: a total without
    it would say less than the truth. So it is with `seconds` if those of one are a lower bound.
    """

    records: int | None
    seconds: float | None


class LagTracker:
    """Tracks the lag of runs.

    Args:
        threshold: when skipped records raise an alert.
    """

    def __init__(self, threshold: Threshold | None = None) -> None:
        self._threshold = threshold or Threshold()
        self.runs: dict[str, RunLag] = {}
        self.ends: dict[tuple[str, str, int], EndOffsetHistory] = {}

    def follow(self, run_id: str, job_id: str, epoch: int, topics: dict[str, Topic]) -> RunLag:
        """Start to follow a run, or its next epoch: committed positions stay, fetched ones
        are reset with their engine, and the read rate is measured anew.
        """
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = RunLag(job_id, epoch, topics)
        elif epoch > run.epoch:
            run.epoch, run.topics = epoch, topics
            run.read = ReadRate()  # the time between its epochs says nothing of how fast it reads
            run.steps = {}  # steps may have other names now
            run.skips = {name: skips for name, skips in run.skips.items() if name in topics}
            marks = run.source_watermarks_us
            run.source_watermarks_us = {name: mark for name, mark in marks.items() if name in topics}
            for partitions in run.positions.values():
                for position in partitions.values():
                    position.fetched = None
        return run

    def unfollow(self, run_id: str) -> None:
        """Stop following a run; drop the end offsets of topics that no run reads any more."""
        self.runs.pop(run_id, None)
        read = {topic for run in self.runs.values() for topic in run.topics.values()}
        for key in [key for key in self.ends if key[:2] not in read]:
            del self.ends[key]

    def apply(self, report: PositionsReport | ProgressReport) -> RunLag | None:
        """Apply a report. None if its run is not followed or its epoch is outdated: then a batch is counted,
        which was committed before the next epoch began, and nothing else is taken from it.
        """
        run = self.runs.get(report.run_id)
        if run is None:
            return None
        if report.epoch < run.epoch:
            if isinstance(report, ProgressReport) and not run.counts.knows(report):
                _count(run, report)
            return None
        before = run.passed.total()
        # What a report leaves out is not read as a stream, such as a table that is broadcast now.
        if report.sources:
            run.positions = {name: known for name, known in run.positions.items() if name in report.sources}
        for source, partitions in report.sources.items():
            for partition, progress in partitions.items():
                run.passed[source] += self._apply_partition(run, source, partition, progress, report.at_us)
        if not run.read.samples:
            run.unrated = run.passed.copy()
        run.read.add(report.at_us, run.passed.total() - before)
        if isinstance(report, ProgressReport) and not run.counts.knows(report):
            _add_first_batch(run, report)
            _apply_batch(run, report)
            for source, read in report.read.items():
                run.skips.setdefault(source, SourceSkips()).add(read, report.at_us, self._threshold)
        return run

    def apply_copy(self, report: CopyReport) -> None:
        """Learn what was read of tables that are copied; a copy that is renewed is read
        from its beginning.
        """
        run = self.runs.get(report.run_id)
        if run is None or report.epoch < run.epoch:
            return
        run.counts.add_copy(report)
        for source, read in report.read.items():
            run.skips[source] = SourceSkips()
            run.skips[source].add(read, report.at_us, self._threshold)

    def _apply_partition(
        self, run: RunLag, source: str, partition: int, progress: PartitionProgress, at_us: int
    ) -> int:
        """Note where a partition is; how many records were passed since it was known last."""
        position = run.positions.setdefault(source, {}).setdefault(partition, Position())
        before = position.reached
        if progress.committed is not None:
            position.committed = progress.committed
        if progress.fetched is not None:
            position.fetched = progress.fetched
        topic = run.topics.get(source)
        if progress.end is not None and topic is not None:
            self.observe_end(topic, partition, at_us, progress.end)
        reached = position.reached
        return 0 if before is None or reached is None else max(0, reached - before)

    def observe_end(self, topic: Topic, partition: int, at_us: int, end: int) -> None:
        """Observe a topic's end offset."""
        self.ends.setdefault((*topic, partition), EndOffsetHistory()).observe(at_us, end)

    def stale_partitions(self, run_ids: Iterable[str], now_us: int) -> set[tuple[str, str, int]]:
        """Partitions of these runs whose end offset is older than 2 s and has to be fetched."""
        stale = set()
        for run_id in run_ids:
            run = self.runs.get(run_id)
            if run is None:
                continue
            for source, partitions in run.positions.items():
                keys = ((*run.topics[source], partition) for partition in partitions if source in run.topics)
                stale |= {
                    key
                    for key in keys
                    if now_us - self.ends.setdefault(key, EndOffsetHistory()).seen_us > MAX_END_AGE_US
                }
        return stale

    def totals(self, run_id: str, now_us: int) -> Totals:
        """Lag in records, summed, and the greatest lag in seconds over all partitions."""
        run = self.runs.get(run_id)
        if run is None:
            return Totals(None, None)
        cells = [
            self._cell(run, source, partition, now_us)
            for source, rows in run.positions.items()
            for partition in rows
        ]
        return _totals(cells)

    def payload(self, run_id: str, now_us: int) -> dict[str, Any] | None:
        """Payload of the lag frame (docs/protocol.md), without `op` and `id`; None for a
        run that is not followed.
        """
        run = self.runs.get(run_id)
        if run is None:
            return None
        sources = {}
        for source, partitions in run.positions.items():
            cells = [self._cell(run, source, partition, now_us) for partition in sorted(partitions)]
            total = _totals(cells)
            sources[source] = {
                "partitions": cells,
                "records": total.records,
                "seconds": total.seconds,
                "watermark_us": run.source_watermarks_us.get(source),
            }
        return {
            "at_us": now_us,
            "sources": sources,
            "watermark_us": run.watermark_us,
            "rows_per_second": run.read.per_second(now_us),
            "rows_out_per_second": run.given.written_per_second(now_us),
            "state_rows": run.state_rows,
            "state_bytes": run.state_bytes,
            "given": run.given.per_second(now_us),
            "steps": {
                name: {"state_rows": state.rows, "state_bytes": state.bytes}
                for name, state in run.steps.items()
            },
        }

    def _cell(self, run: RunLag, source: str, partition: int, now_us: int) -> dict[str, Any]:
        position = run.positions[source][partition]
        topic = run.topics.get(source)
        history = self.ends.get((*topic, partition)) if topic else None
        if history is not None and now_us - history.seen_us > MAX_END_SILENCE_US:
            history = None  # nothing is known of the present, in which it may have gone on
        cell: dict[str, Any] = {
            "partition": partition,
            "committed": position.committed,
            "fetched": position.fetched,
            "end": history.end if history else None,
            "records": None,
            "seconds": None,
        }
        reached = position.reached
        if reached is None or history is None or history.end is None:
            return cell
        cell["records"] = max(0, history.end - reached)
        lag = history.lag(reached, now_us)
        if lag is not None:
            cell["seconds"] = round(lag.seconds, 3)
            if lag.lower_bound:
                cell["lower_bound"] = True
        return cell


def stored_positions(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[int, Position]]:
    """The positions in the database: those of a stopped run, and of a running one until its next report.

    Args:
        stored: `Run.positions`.

    Returns:
        For `RunLag.positions`.
    """
    found: dict[str, dict[int, Position]] = {}
    for source, partitions in stored.items():
        for partition, progress in partitions.items():
            known = PartitionProgress.model_validate(progress)
            found.setdefault(source, {})[int(partition)] = Position(known.committed, known.fetched)
    return found


def known_seconds(cell: Mapping[str, Any]) -> float | None:
    """Lag in seconds of one partition of the lag frame; None: not known, and a lower bound is not known.

    Args:
        cell: of `LagTracker.payload`.
    """
    seconds: float | None = None if cell.get("lower_bound") else cell["seconds"]
    return seconds


def _add_first_batch(run: RunLag, report: ProgressReport) -> None:
    """Count what the first batch of a source read before a position of it was known, or was only known from
    the database: rows of steps are counted from its begin, and both rates are shown side by side.
    """
    for source in report.read.keys() - run.begun:
        rated = run.passed[source] - run.unrated[source]
        missed = max(0, report.read[source].records - rated)
        run.read.add_earlier(report.began_us, report.at_us, missed)
        run.begun.add(source)


def _count(run: RunLag, report: ProgressReport) -> None:
    run.counts.add(report)
    run.malformed += sum(report.malformed.values())
    run.late += report.late
    run.expression_nulls += sum(report.expression_nulls.values())
    run.limit_reached += sum(report.limit_reached.values())


def _apply_batch(run: RunLag, report: ProgressReport) -> None:
    _count(run, report)
    run.given.add(report)
    run.steps |= report.steps
    run.watermark_us = report.watermark_us if report.watermark_us is not None else run.watermark_us
    for source, mark in report.source_watermarks_us.items():
        run.source_watermarks_us[source] = max(mark, run.source_watermarks_us.get(source, mark))
    run.state_rows = report.state_rows if report.state_rows is not None else run.state_rows
    run.state_bytes = report.state_bytes if report.state_bytes is not None else run.state_bytes
    run.duration_ms = report.duration_ms


def _totals(cells: list[dict[str, Any]]) -> Totals:
    records = [cell["records"] for cell in cells]
    seconds = [known for cell in cells if (known := known_seconds(cell)) is not None]
    return Totals(
        total(*records) if records else None,
        max(seconds, default=None) if len(seconds) == len(cells) else None,
    )
