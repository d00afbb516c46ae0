"""Plays a job: its queries as a run would start them, over given records, batch by batch."""

import logging
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.base.instants import Instant, instant_text
from jobs.engine.exchange_rows import ExchangeCodec, watermark_record
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.late_row_factor import late_steps_shared
from jobs.engine.lowering import LoweringError, acts_alone
from jobs.engine.operators.broadcast_join import BroadcastTooLargeError
from jobs.engine.play.copies import newly_read
from jobs.engine.play.feed import EXCHANGED, Record, Records
from jobs.engine.play.query import PlayQuery, exchange_output
from jobs.engine.play.readings import Reading, late_step, merged, owned
from jobs.engine.play.taps import OUTPUT
from jobs.engine.run_progress import owned_nodes
from jobs.formats.heartbeats import HEADER
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan, PlanningContext, plan_job
from jobs.play import (
    MAX_RECORDS,
    Advance,
    Heartbeat,
    PlayBatch,
    PlayedBatch,
    PlayedSource,
    PlayHeader,
    PlayJob,
    PlayProblem,
    PlayRecord,
    PlayResult,
    PlayScript,
    Restart,
)

PLAY_ERRORS: Final = (PySparkException, Py4JError, LoweringError, BroadcastTooLargeError)
"""What a play may raise, besides `PlayEnded`."""

log = logging.getLogger(__name__)


class PlayEndedError(Exception):
    """The play ended before its end.

    Attributes:
        problem: why.
    """

    def __init__(self, problem: PlayProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def plan_play(job: PlayJob) -> Plan:
    """The checked plan of a play.

    Raises:
        PlayEndedError: the document has errors.
    """
    # A play writes to no topic, so that no source can read what it writes.
    context = PlanningContext(topics=job.topics if job.topics else None, home_topics={})
    plan = plan_job(job.document, job.contracts, context)
    if not plan.ok:
        errors = [found for found in plan.problems if found.severity == "error"]
        text = "; ".join(f"{'.'.join(found.path)}: {found.message}" for found in errors)
        raise PlayEndedError(PlayProblem(code="DOCUMENT_INVALID", message=f"The document has errors: {text}"))
    return plan


def processing_time_uses(plan: Plan) -> tuple[str, ...]:
    """What of a plan depends on processing time, in sentences for users."""
    return tuple(
        f"{node.name} reads its broadcast table again every {node.bound.broadcast.refresh} of processing "
        "time."
        for node in plan.live_nodes
        if isinstance(node.bound, TableJoinBound)
        and node.bound.broadcast is not None
        and node.bound.broadcast.refresh is not None
    )


class Player:
    """Plays a job batch by batch.

    As a context manager it stops its queries and removes its folder at the end. `cancel` may be called from
    any thread.

    Args:
        base: session of the application.
        job: what is played.
        folder: new; for checkpoints.
        writers: finds schemas whose ids the contracts do not name; None: they are not looked up.

    Raises:
        PlayEndedError: the document has errors.
    """

    def __init__(
        self, base: SparkSession, job: PlayJob, folder: Path, writers: WriterSchemas | None = None
    ) -> None:
        self._job, self._folder = job, folder
        self.spans_ms: dict[str, int] = {}
        with self._timed("plan"):
            self.plan = plan_play(job)
        self._spark = base.sparkContext
        self._group = f"play-{uuid.uuid4()}"
        self._codec = ExchangeCodec(self.plan)
        self._offsets: dict[tuple[str, int], int] = {}
        self._held: dict[str, list[Record]] = {name: [] for name in self.plan.static}
        self._copied: dict[str, PlayedSource] = {}
        self._sent = 0
        self._elapsed_us = 0
        self._started = False
        self._problem: PlayProblem | None = None
        self._owned = owned_nodes(self.plan)
        self._late: dict[str, int] = {}
        self._late_shared = late_steps_shared(self.plan)
        self._refreshes_us = min(_refreshes(self.plan), default=None)
        with self._timed("start"):
            self._queries = [
                PlayQuery(
                    base,
                    job,
                    self.plan,
                    self.plan.for_query(query),
                    self._codec,
                    folder / "checkpoint" / query.name,
                    writers,
                    self._group,
                    lambda name: self._held.get(name, []),
                )
                for query in self.plan.queries
            ]

    def __enter__(self) -> "Player":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._timed("stop"):
            self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def cancel(self, problem: PlayProblem) -> None:
        """End the play from any thread: what is being computed is broken off, and `batch` raises."""
        if self._problem is None:
            self._problem = problem
            self._spark.cancelJobGroup(self._group)
            self._end()

    def batch(self, batch: PlayBatch) -> PlayedBatch:
        """Play one batch.

        Raises:
            PlayEndedError: canceled, or more records than `MAX_RECORDS`.
            PLAY_ERRORS: Spark failed.
        """
        try:
            return self._batch(batch)
        except PLAY_ERRORS:
            self._ended()
            raise

    def _batch(self, batch: PlayBatch) -> PlayedBatch:
        restarted = self._act(batch)
        records = self._placed(batch)
        self._ended()
        self._hold(records)
        begins = not self._started
        with self._timed("start"):
            if begins:
                for query in self._queries:
                    query.start()
                self._started = True
                self._elapsed_us = 0  # since the tables were read: each start reads them
        with self._timed("batches"):
            found = list(self._one_batch(records))
            if self._job.closing and batch.closing and any(acts_alone(query.part) for query in self._queries):
                found += self._one_batch({})
            if begins and self._held:
                found.append(PlayedBatch(sources=self._newly_copied()))
        self._ended()
        return merged(found, restarted=restarted)

    def _act(self, batch: PlayBatch) -> bool:
        """Do what happens before a batch; returns whether the queries were stopped for a new start."""
        restarts = False
        for action in batch.before:
            if isinstance(action, Restart):
                self._stop(uncommitted=action.uncommitted)
                restarts = True
            elif isinstance(action, Advance):
                self._elapsed_us += action.by_us
                if self._refreshes_us is not None and self._elapsed_us >= self._refreshes_us:
                    self._stop(uncommitted=False)
        return restarts

    def _stop(self, *, uncommitted: bool) -> None:
        for query in self._queries:
            query.stop()
            if uncommitted:
                query.forget_commit()
        self._started = False

    def _placed(self, batch: PlayBatch) -> dict[str, list[Record]]:
        """The records with their offsets, heartbeats first."""
        beats = [action for action in batch.before if isinstance(action, Heartbeat)]
        sent: dict[str, list[PlayRecord]] = {}
        for beat in beats:
            header = PlayHeader(key=HEADER, value=instant_text(Instant(beat.at_us)).encode())
            sent.setdefault(beat.source, []).append(PlayRecord(timestamp_us=beat.at_us, headers=(header,)))
        for source, records in batch.records.items():
            sent.setdefault(source, []).extend(records)
        self._sent += sum(map(len, sent.values()))
        if self._sent > MAX_RECORDS:
            raise PlayEndedError(
                PlayProblem(code="TOO_LARGE", message=f"A play reads at most {MAX_RECORDS:,} records.")
            )
        return {
            source: [Record(record, self._offset(source, record)) for record in records]
            for source, records in sent.items()
        }

    def _offset(self, source: str, record: PlayRecord) -> int:
        place = source, record.partition
        offset = self._offsets.get(place, 0) if record.offset is None else record.offset
        self._offsets[place] = offset + 1
        return offset

    def _hold(self, records: Records) -> None:
        for name, sent in records.items():
            if name in self._held:
                self._held[name] += sent

    def _newly_copied(self) -> dict[str, PlayedSource]:
        """What broadcast tables held at this start and not at the one before; each query reads all of it.
        What is read as a stream as well is counted with that.
        """
        counts = {
            name: source
            for query in self._queries
            for name, source in query.copied().items()
            if name not in self.plan.streaming
        }
        before, self._copied = self._copied, self._copied | counts
        return newly_read(counts, before)

    def _one_batch(self, records: Records) -> Iterator[PlayedBatch]:
        """One batch of each query; what one hands to the other is read directly after."""
        read = {name: sent for name, sent in records.items() if name in self.plan.streaming}
        handed: list[Record] = []
        for query in self._queries:
            exchanged = {EXCHANGED: handed} if query.query.exchange_in else {}
            query.add({**read, **exchanged})
            reading = query.batch()
            if query.query.exchange_out:
                handed = self._handed(query, reading)
            yield self._played(query, reading)

    def _handed(self, query: PlayQuery, reading: Reading) -> list[Record]:
        """Exchanged rows and a watermark record."""
        values: list[bytes] = []
        for name in exchange_output(query):
            texts, complete = reading.exchanged(name)
            if not complete:
                raise PlayEndedError(
                    PlayProblem(code="TOO_LARGE", message="One query hands too many rows to the other one.")
                )
            values += texts
        values.append(watermark_record(reading.watermark_us))
        return [Record(PlayRecord(value=value, timestamp_us=0), at) for at, value in enumerate(values)]

    def _played(self, query: PlayQuery, reading: Reading) -> PlayedBatch:
        late = self._late_rows(query.query.name, reading.late)
        dropping = late_step(query.part)
        batch = PlayedBatch(
            outputs={
                sink.name: reading.rows(f"{OUTPUT}{sink.name}")
                for sink in query.part.sinks
                if sink.exchange is None
            },
            steps=reading.steps(),
            sources=reading.sources(),
            late=late,
            late_by_step={dropping: late} if dropping is not None and late else {},
            nulls=reading.nulls(),
            nulls_by_expression=reading.nulls_by_expression(query.taps.labels),
            keyless=reading.keyless(),
            watermark_us={query.query.name: reading.watermark_us},
        )
        return owned(batch, self._owned[query.query.name])

    def _late_rows(self, query: str, late: int) -> int:
        """Late rows that no query reported before, as `jobs.engine.run_progress` counts them."""
        before = self._late_total()
        self._late[query] = self._late.get(query, 0) + late
        return self._late_total() - before

    def _late_total(self) -> int:
        found = self._late.values()
        return max(found, default=0) if self._late_shared else sum(found)

    def _ended(self) -> None:
        if self._problem is not None:
            raise PlayEndedError(self._problem)

    def _end(self) -> None:
        for query in self._queries:
            try:
                query.end()
            except PLAY_ERRORS as error:
                log.info("a query of a play did not stop: %s", error)

    @contextmanager
    def _timed(self, span: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            spent = round((time.monotonic() - began) * 1_000)
            self.spans_ms[span] = self.spans_ms.get(span, 0) + spent


def play(
    base: SparkSession,
    script: PlayScript,
    folder: Path,
    writers: WriterSchemas | None = None,
    canceled: Callable[[], bool] | None = None,
    told: Callable[[PlayResult], None] | None = None,
) -> PlayResult:
    """Play a script to its end, or as far as it goes.

    Args:
        base: session of the application.
        script: what is played.
        folder: new; removed at the end.
        writers: finds schemas whose ids the contracts do not name; None: they are not looked up.
        canceled: becomes true: the play is broken off within some tens of milliseconds.
        told: gets the result as soon as it is there. Stopping the queries takes a tenth of a second after it.

    Returns:
        What it gave, never raising for what the script asks.
    """
    began = time.monotonic()
    played: list[PlayedBatch] = []
    problem: PlayProblem | None = None
    spans: dict[str, int] = {}
    uses: tuple[str, ...] = ()
    result: PlayResult | None = None

    def made() -> PlayResult:
        return PlayResult.model_construct(
            batches=tuple(played),
            problem=problem,
            elapsed_ms=round((time.monotonic() - began) * 1_000),
            spans_ms=spans,
            uses_processing_time=uses,
        )

    try:
        with Player(base, script.job, folder, writers) as player, _watched(player, script, canceled):
            spans, uses = player.spans_ms, processing_time_uses(player.plan)
            for batch in script.batches:
                played.append(player.batch(batch))
            result = made()
            if told is not None:
                told(result)
    except PlayEndedError as error:
        problem = error.problem
    except Exception as error:  # a defect of ours, too: what else is to be played goes on
        log.warning("a play failed", exc_info=error)
        problem = _failure(error)
    if result is None:
        result = made()
        if told is not None:
            told(result)
    return result


@contextmanager
def _watched(player: Player, script: PlayScript, canceled: Callable[[], bool] | None) -> Iterator[None]:
    """Cancel the play when it is asked for or takes too long."""
    seconds = script.job.limits.seconds
    done = threading.Event()
    until = time.monotonic() + seconds

    def watch() -> None:
        while not done.wait(0.02):
            if canceled is not None and canceled():
                player.cancel(PlayProblem(code="CANCELED", message="The play was canceled."))
                return
            if time.monotonic() > until:
                text = f"The play took longer than {seconds:g} s. Give it fewer records, or narrower windows."
                player.cancel(PlayProblem(code="TIMED_OUT", message=text))
                return

    thread = threading.Thread(target=watch, name="play watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _failure(error: Exception) -> PlayProblem:
    if isinstance(error, BroadcastTooLargeError):
        return PlayProblem(code="REFUSED", message=f"{error}.")
    if isinstance(error, PLAY_ERRORS):
        message, raw = "Spark could not compute the job. The details say what it reported.", str(error)
    else:
        message, raw = "Weir could not play the job. The details say why.", f"{type(error).__name__}: {error}"
    return PlayProblem(code="ENGINE_ERROR", message=message, raw=raw[:4_000])


def _refreshes(plan: Plan) -> Sequence[int]:
    return [
        node.bound.broadcast.refresh.us
        for node in plan.live_nodes
        if isinstance(node.bound, TableJoinBound)
        and node.bound.broadcast is not None
        and node.bound.broadcast.refresh is not None
    ]
