"""Supervises one run: starts its queries, watches them, retries while a broker is unreachable, and stops them on request."""

import logging
import threading
from dataclasses import replace
from functools import partial
from typing import Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.cluster_identity import ClusterRefusedError
from jobs.encryption import DecryptionError
from jobs.engine.exchange import ExchangeTracker, committed_watermark_us
from jobs.engine.exchange_rows import ExchangeCodec, exchanged_sources
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.late_row_factor import late_row_factor
from jobs.engine.listener import ProgressListener
from jobs.engine.lowering import LoweringError
from jobs.engine.operators.broadcast_join import BroadcastTooLargeError
from jobs.engine.positions import Reader, RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.query import PlanRefusedError, plan_of, start_query
from jobs.engine.reporter import Reporter
from jobs.engine.run_progress import RunProgress
from jobs.engine.run_queries import RunQueries, Starter
from jobs.engine.run_reports import RunReports
from jobs.engine.session import is_alive
from jobs.engine.topic_checks import find_lost_topic
from jobs.engine.validator import start_validator
from jobs.messages import DesiredRun, EngineSettings, Failure, RunHeartbeat, RunState, SourceRead, ValidatedRange
from jobs.plan import Plan, QueryName

WATCH_INTERVAL_S: Final = 1.0
RETRY_DELAYS_S: Final = (0.5, 1.0, 2.0, 5.0)

_START_ERRORS: Final = (
    PySparkException,
    Py4JError,
    PlanRefusedError,
    LoweringError,
    BroadcastTooLargeError,
    KafkaException,
    DecryptionError,
    ClusterRefusedError,
)

log = logging.getLogger(__name__)


class RunSupervisor:
    """Supervises one epoch of one run on this engine. Its own thread does everything that may take time.

    A run has one or two queries. It runs when all of them do, and ends when one of them ends.
    """

    def __init__(
        self,
        run: DesiredRun,
        base: SparkSession,
        settings: EngineSettings,
        reporter: Reporter,
        admins: KafkaAdmins,
        predecessor: "RunSupervisor | None" = None,
    ) -> None:
        self.run = run
        self.positions = RunPositions(run)
        self.attempt = 0  # starts of this epoch that failed because a broker was unreachable
        self._base = base
        self._settings = settings
        self._reporter = reporter
        self.reports = RunReports(settings, run)
        self._admins = admins
        self._predecessor = predecessor
        self._state: RunState = "starting"
        self._failure: Failure | None = None
        self._queries: RunQueries | None = None
        self._should_run = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._abort_reason: Failure | None = None
        self._streaming = frozenset(run.sources)  # without static inputs
        self._progress: RunProgress | None = None  # of a run with two queries
        self._exchange: ExchangeTracker | None = None  # of a run with an exchange
        self._should_run.set()
        self._thread = threading.Thread(target=self._supervise, name=f"run {run.run_id}", daemon=True)

    # --- called by other threads ---

    def start(self) -> None:
        """Start the thread; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the queries as soon as possible; returns at once."""
        self._should_run.clear()
        self._wake.set()
        if self._queries is not None and self._state not in ("stopped", "failed"):
            self._report("stopping")

    def abort(self, failure: Failure) -> None:
        """End the queries because of a failure that they cannot notice themselves."""
        self._abort_reason = failure
        self._wake.set()

    def join(self, seconds: float) -> bool:
        """Wait until the thread has ended; False when it takes longer."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def revise(self, run: DesiredRun) -> None:
        """The same epoch, published again: only the revision may be new."""
        self.run = self.reports.run = self.run.model_copy(update={"revision": run.revision})

    @property
    def state(self) -> RunState:
        """As last reported."""
        return self._state

    @property
    def should_run(self) -> bool:
        """False after `stop`."""
        return self._should_run.is_set()

    @property
    def alive(self) -> bool:
        """True while a query runs or may start."""
        return self._thread.is_alive()

    @property
    def partitions(self) -> int:
        """How many partitions its queries read continuously."""
        return sum(source.partitions for name, source in self.run.sources.items() if name in self._streaming)

    @property
    def slots(self) -> int:
        """Task slots that it holds: in real-time mode every partition and every state partition, always."""
        if self._state in ("stopped", "failed"):
            return 0
        if self.run.mode == "realtime":
            return self.partitions + self.run.shuffle_partitions
        queries = self._queries  # read once: the run's own thread may set it to None meanwhile
        return len(queries) if queries is not None else 1

    def heartbeat(self) -> RunHeartbeat:
        """Its part of the engine's heartbeat."""
        return RunHeartbeat(epoch=self.run.epoch, revision=self.run.revision, state=self._state, failure=self._failure)

    def on_reachability(self, *, reachable: bool) -> None:
        """The input's cluster responds, or does not: a running query waits for it."""
        if not reachable and self._state in ("running", "replaying"):
            self._report("waiting")
        elif reachable and self._state == "waiting" and self._queries is not None:
            self._report("replaying" if self.positions.replaying else "running")

    def on_positions(self) -> None:
        """Positions were updated: replaying ends once the positions reported before the restart are passed."""
        if self._state == "replaying" and not self.positions.replaying:
            self._report("running")

    # --- its own thread ---

    def _supervise(self) -> None:
        try:
            self._wait_for_predecessor()
            self._run_until_stopped()
        finally:
            if self._state not in ("stopped", "failed"):  # an error of ours, logged by the thread as it ends
                self._fail(failure_of("The engine stopped supervising this run unexpectedly. See the engine log."))

    def _wait_for_predecessor(self) -> None:
        """Two epochs never run at once, whether the run should run or not."""
        while self._predecessor is not None and not self._predecessor.join(WATCH_INTERVAL_S):
            log.info("run %s: epoch %s waits for the end of epoch %s", self.run.run_id, self.run.epoch, self._predecessor.run.epoch)
        self._predecessor = None

    def _run_until_stopped(self) -> None:
        refreshed = False
        while self._should_run.is_set():
            failure = self._abort_reason or self._attempt(refreshed=refreshed)
            refreshed = failure is None
            if failure is None:
                if self._should_run.is_set():
                    self.positions.restarted()
                    continue  # with reloaded broadcast tables
                break
            if failure.code != "BROKER_UNREACHABLE":
                self._fail(failure)
                return
            self._report("waiting", failure)
            self.positions.restarted()
            self._wake.wait(RETRY_DELAYS_S[min(self.attempt, len(RETRY_DELAYS_S) - 1)])
            self._wake.clear()
            self.attempt += 1
        self._report("stopped")

    def _attempt(self, *, refreshed: bool) -> Failure | None:
        """Run the queries until they should stop or a broadcast refresh is due (None), or one fails.

        A restart that only reloads broadcast tables is not reported: the run goes on running.
        """
        try:
            if not refreshed:
                self._report("starting")
            lost = find_lost_topic(self.run, self._admins, self._settings.home)
            if lost is not None:
                return lost
            if not self._should_run.is_set():  # stopped during the request: nothing is started
                return None
            queries = self._start()
        except _START_ERRORS as error:
            log.warning("run %s: start failed", self.run.run_id, exc_info=error)
            return failure_of(error)
        self._queries = queries
        self._report("replaying" if self.positions.replaying and not refreshed else "running")
        try:
            return self._watch(queries)
        finally:
            queries.stop()
            self._queries = None
            if self._exchange is not None:
                self._exchange.close()

    def _start(self) -> RunQueries:
        home = self._settings.home
        if self.run.task == "validator":
            listener = self._listener(None)
            return RunQueries(
                {None: (None, lambda: start_validator(self._base, self.run, home, listener, self._on_counts, self._admins, self.attempt))}
            )
        plan = plan_of(self.run)
        self._streaming = plan.streaming
        if len(plan.queries) == 1:
            return RunQueries({None: self._starter(plan, None)})
        readers: dict[Reader, frozenset[str]] = {query.name: query.streaming for query in plan.queries}
        codec = None
        if plan.has_exchange:
            codec = ExchangeCodec(plan)
            readers["exchange"] = exchanged_sources(plan)
            self._exchange = self._open_exchange()
        self.positions.read_by(readers)
        self._progress = RunProgress(plan, self.run)
        return RunQueries({query.name: self._starter(plan.for_query(query), query.name, codec) for query in plan.queries})

    def _starter(self, plan: Plan, query: QueryName | None, codec: ExchangeCodec | None = None) -> tuple[Plan, Starter]:
        listener = self._listener(query, factor=late_row_factor(plan))
        home = self._settings.home
        return plan, lambda: start_query(self._base, self.run, plan, home, listener, self.attempt, query, codec, self._report_static_read)

    def _open_exchange(self) -> ExchangeTracker | None:
        """The tracker of the exchange topic; republishes the watermark of the last commit, which may have been lost in a crash."""
        if self.run.exchange is None:
            return None
        exchange = ExchangeTracker(self._settings.home, self.run.exchange, self._admins)
        exchange.upstream_committed(committed_watermark_us(self._base, f"{self.run.checkpoint}/append"), {})
        return exchange

    def _listener(self, query: QueryName | None, *, factor: int = 1) -> ProgressListener:
        return ProgressListener(partial(self._on_progress, query, factor), self._wake.set, partial(self._on_idle, query))

    def _report_static_read(self, read: dict[str, SourceRead]) -> None:
        """Called for every start of a query with static inputs."""
        self._reporter.send(self.reports.static_read(read))

    def _on_counts(self, batch: int, ranges: tuple[ValidatedRange, ...]) -> None:
        """Report the counts of a validator's batch; called before the batch is committed."""
        self._reporter.deliver(self.reports.validation(batch, ranges))

    def _watch(self, queries: RunQueries) -> Failure | None:
        while queries.active:
            if not self._should_run.is_set() or self._abort_reason is not None or queries.refresh_due:
                return self._abort_reason
            self._wake.wait(WATCH_INTERVAL_S)
            self._wake.clear()
            if self._exchange is not None:
                self._exchange.tick()
                self._track_exchange(self._exchange)
        return self._lost_topic_or(queries.failure()) if self._should_run.is_set() else None

    def _lost_topic_or(self, failure: Failure) -> Failure:
        """A topic that was deleted or recreated explains most errors better than their own text."""
        try:
            lost = find_lost_topic(self.run, self._admins, self._settings.home)
        except (KafkaException, ClusterRefusedError) as error:
            return failure if failure.code != "ENGINE_ERROR" else failure_of(error)
        return lost.model_copy(update={"raw": failure.raw}) if lost is not None else failure

    def _on_progress(self, query: QueryName | None, factor: int, text: str) -> None:
        """Called by Spark's listener for every batch."""
        batch = read_progress(text, self.run, late_row_factor=factor)
        self.positions.committed(batch, query)
        if self._exchange is not None:
            self._on_exchange_progress(self._exchange, query, batch)
        if query is not None and self._progress is not None:
            batch = replace(self._progress.merge(query, batch), sources=self.positions.now())
        self._reporter.send(self.reports.progress(batch, query))
        self.on_positions()

    def _on_idle(self, query: QueryName | None) -> None:
        """Called by Spark's listener when there is nothing to read."""
        self.positions.idle(query)
        if self._exchange is not None and query == "append":
            self._exchange.upstream_idle()
            self._track_exchange(self._exchange)
        self.on_positions()

    def _on_exchange_progress(self, exchange: ExchangeTracker, query: QueryName | None, batch: BatchProgress) -> None:
        if query == "append":
            exchange.upstream_committed(batch.watermark_us or 0, batch.committed)
        elif batch.exchange_offset is not None:
            exchange.downstream_committed(batch.exchange_offset)
        self._track_exchange(exchange)

    def _track_exchange(self, exchange: ExchangeTracker) -> None:
        """Update positions with the inputs that both queries have processed."""
        processed = exchange.take_processed()
        if processed:
            self.positions.processed(processed)
        if exchange.is_idle:
            self.positions.idle("exchange")

    def _fail(self, failure: Failure) -> None:
        if not is_alive(self._base):
            # The whole engine is dying, and the platform notices that. Reported as this run's own failure it would count against
            # the run, and the run would be restarted twice.
            log.warning("run %s ends with its JVM", self.run.run_id)
            return
        log.warning("run %s failed: %s: %s", self.run.run_id, failure.code, failure.raw.partition("\n")[0])
        self._report("failed", failure)

    def _report(self, state: RunState, failure: Failure | None = None) -> None:
        with self._lock:
            if self._state in ("stopped", "failed") or (self._state == "stopping" and state != "stopped"):
                return
            self._state, self._failure = state, failure
        self._reporter.send(self.reports.state(state, failure))
