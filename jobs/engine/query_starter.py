"""Starts the queries of a run: that of a validator, or those of a job's plan, with their exchange."""

import logging
import math
from collections.abc import Callable
from functools import partial
from typing import Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.cluster_identity import ClusterRefusedError
from jobs.encryption import DecryptionError
from jobs.engine.aggregate_layouts import StateLayoutError
from jobs.engine.backlog import backlog, in_batches, least_drained
from jobs.engine.checkpoints import CheckpointMissingError, expect_checkpoint, find_checkpoint
from jobs.engine.exchange import ExchangeTracker, committed_watermark_us
from jobs.engine.exchange_rows import ExchangeCodec
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.listener import ProgressListener
from jobs.engine.log_context import about_run
from jobs.engine.lowering import LoweringError
from jobs.engine.operators.broadcast_join import BroadcastTooLargeError
from jobs.engine.owed_batch import TopicOffsets
from jobs.engine.positions import RunPositions
from jobs.engine.prepared_queries import PreparedQueries
from jobs.engine.progress_tracker import ProgressTracker
from jobs.engine.query import PlanRefusedError, PreparedQuery, plan_of, start_prepared, start_query
from jobs.engine.run_queries import RunQueries, Starter
from jobs.engine.step_progress import StepProgress
from jobs.engine.validator import start_validator
from jobs.kafka_messages import DesiredRun, EngineSettings, Positions, SourceRead
from jobs.plan import Plan, QueryName

START_ERRORS: Final = (
    PySparkException,
    Py4JError,
    PlanRefusedError,
    LoweringError,
    BroadcastTooLargeError,
    StateLayoutError,
    CheckpointMissingError,
    KafkaException,
    DecryptionError,
    ClusterRefusedError,
)
"""What `QueryStarter.start` may raise."""

log = logging.getLogger(__name__)


class QueryStarter:
    """Starts the queries of one epoch of a run, again for each attempt.

    Args:
        run: as desired; its revision does not matter here.
        base: session of the application.
        settings: of the engine.
        admins: Kafka clients.
        positions: of the run.
        tracker: receives progress, static reads and a validator's counts.
        on_end: called when a query has ended; must not block.
        on_planned: called when the document has been planned.
        prepared: queries that were prepared before this engine was to run them; None: there are none.
    """

    def __init__(
        self,
        run: DesiredRun,
        base: SparkSession,
        settings: EngineSettings,
        admins: KafkaAdmins,
        positions: RunPositions,
        tracker: ProgressTracker,
        on_end: Callable[[], None],
        on_planned: Callable[[], None],
        prepared: PreparedQueries | None = None,
    ) -> None:
        self._run = run
        self._base = base
        self._home = settings.home
        self._admins = admins
        self._positions = positions
        self._tracker = tracker
        self._on_end = on_end
        self._on_planned = on_planned
        self._prepared = prepared
        self.streaming = frozenset(run.sources)
        """Names of the sources that are read continuously: all of them until the run is planned."""

    def start(self, attempt: int, least: int | None = None, runs: int = 1) -> RunQueries:
        """Start all queries, or none.

        Args:
            attempt: how often this epoch was started before.
            least: size in records from which a run in real-time mode first drains its backlog in
                micro-batches; None: as a run that starts.
            runs: number of runs of the host's engines.

        Raises:
            START_ERRORS: one of these.
        """
        # A start by offsets has to name every partition that there is.
        self._run = self._run.model_copy(update={"sources": self._positions.sources})
        if any(self._run.committed.values()):
            expect_checkpoint(self._base, self._run.checkpoint)
        if self._run.task == "validator":
            self._positions.read_by({None: self.streaming})
            return RunQueries({None: (None, self._validator(attempt))})
        ready = None if self._prepared is None or attempt > 0 else self._prepared.take(self._run)
        plan = plan_of(self._run, self._home) if ready is None else ready[0]
        self._on_planned()
        self.streaming = plan.streaming
        if len(plan.queries) == 1:
            self._positions.read_by({None: plan.streaming})
            drain_to = self._drain_to(plan, least)
            drains = drain_to is not None
            if ready is not None and not drains:
                return RunQueries({None: (plan, self._prepared_query(plan, ready[1], runs))})
            return RunQueries({None: (plan, self._query(plan, attempt, drains=drains, runs=runs))}, drain_to)
        codec = ExchangeCodec(plan) if plan.has_exchange else None
        self._tracker.follow(plan, self._open_exchange() if plan.has_exchange else None)
        parts = {query.name: plan.for_query(query) for query in plan.queries}
        return RunQueries(
            {name: (part, self._query(part, attempt, name, codec)) for name, part in parts.items()}
        )

    def _drain_to(self, plan: Plan, least: int | None) -> Positions | None:
        """The end offsets, where the query is to drain a backlog first; None: it isn't."""
        if self._run.mode != "realtime":
            return None
        least = least_drained(self._run, plan.fanout, least, changing_table=plan.reads_changing_table)
        waiting = backlog(self._run, self.streaming, self._positions, self._admins)
        log.info("%s records are waiting", waiting)
        if waiting < least:
            return None
        ends: dict[str, dict[int, int]] = {}
        for (name, partition), end in self._positions.end_offsets(self.streaming).items():
            ends.setdefault(name, {})[partition] = end
        return ends

    def _validator(self, attempt: int) -> Starter:
        listener = self._listener(None, None)
        return lambda: start_validator(
            self._base, self._run, self._home, listener, self._tracker.on_counts, self._admins, attempt
        )

    def _query(
        self,
        plan: Plan,
        attempt: int,
        query: QueryName | None = None,
        codec: ExchangeCodec | None = None,
        *,
        drains: bool = False,
        runs: int = 1,
    ) -> Starter:
        run = in_batches(self._run, plan.fanout) if drains else self._run
        listener = self._listener(query, StepProgress(plan))
        return lambda: start_query(
            self._base,
            run,
            plan,
            self._home,
            listener,
            attempt,
            query,
            codec,
            self._on_static_read,
            drains=drains,
            runs=runs,
            nothing_waits=self._nothing_waits,
        )

    def _nothing_waits(self, ended: TopicOffsets) -> bool:
        """Whether these topics end there. Not known, and so no, of others than the run's sources, as an
        exchange is, and of two of one name.
        """
        for topic, read in ended.items():
            sources = [source for source in self._positions.sources.values() if source.topic == topic]
            if len({source.cluster for source in sources}) != 1:
                return False
            asked = [(topic, number) for number in range(sources[0].partitions)]
            ends = self._admins.end_offsets(sources[0].cluster, asked)
            if any(ends.get((topic, number), math.inf) > read.get(number, 0) for _, number in asked):
                return False
        return True

    def _on_static_read(self, read: dict[str, SourceRead]) -> None:
        """What is read as a stream, too, is counted with that."""
        copied = {name: one for name, one in read.items() if name not in self.streaming}
        if copied:
            self._tracker.on_static_read(copied)

    def _prepared_query(self, plan: Plan, query: PreparedQuery, runs: int) -> Starter:
        listener = self._listener(None, StepProgress(plan))
        return lambda: start_prepared(query, listener, runs=runs, nothing_waits=self._nothing_waits)

    def _open_exchange(self) -> ExchangeTracker | None:
        """The tracker of the exchange topic.

        It republishes the watermark of the last commit, which may have been lost in a crash.
        """
        if self._run.exchange is None:
            return None
        exchange = ExchangeTracker(self._home, self._run.exchange, self._admins)
        upstream = find_checkpoint(self._base, f"{self._run.checkpoint}/append")
        exchange.upstream_committed(committed_watermark_us(self._base, upstream.folder), {})
        return exchange

    def _listener(self, query: QueryName | None, steps: StepProgress | None) -> ProgressListener:
        return ProgressListener(
            about_run(self._run, partial(self._tracker.on_progress, query, steps)),
            self._on_end,
            about_run(self._run, partial(self._tracker.on_idle, query)),
        )
