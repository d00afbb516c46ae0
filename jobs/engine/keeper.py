"""Keeps one run as it is desired: starts its queries, watches them, waits out a broker that is away, stops them at once."""

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
from jobs.engine.between import Between, committed_watermark_us
from jobs.engine.clusters import Clusters
from jobs.engine.cut_rows import CutRows, passed_sources
from jobs.engine.failures import failure_of
from jobs.engine.guard import start_guard
from jobs.engine.late_counts import late_counts
from jobs.engine.listener import ProgressListener
from jobs.engine.lost_topics import lost_topic
from jobs.engine.lowering import LoweringError
from jobs.engine.operators.broadcast_join import CopyTooLargeError
from jobs.engine.positions import Reader, RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.query import PlanRefusedError, plan_of, start_query
from jobs.engine.reporter import Reporter
from jobs.engine.run_counts import RunCounts
from jobs.engine.run_reports import RunReports
from jobs.engine.session import answers
from jobs.engine.stage_queries import StageQueries, Starter
from jobs.messages import DesiredRun, EngineSettings, Failure, GuardRange, RunBeat, RunState, SourceRead
from jobs.plan import Plan, StageName
from jobs.sealing import SealError

WATCH_SECONDS: Final = 1.0
RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)

_START_ERRORS: Final = (
    PySparkException,
    Py4JError,
    PlanRefusedError,
    LoweringError,
    CopyTooLargeError,
    KafkaException,
    SealError,
    ClusterRefusedError,
)

log = logging.getLogger(__name__)


class RunKeeper:
    """One epoch of one run on this engine. Its own thread does everything that may take time.

    A run has a query per stage of its document. It runs when all of them do, and ends when one of them ends.
    """

    def __init__(
        self,
        run: DesiredRun,
        base: SparkSession,
        settings: EngineSettings,
        reporter: Reporter,
        clusters: Clusters,
        after: "RunKeeper | None" = None,
    ) -> None:
        self.run = run
        self.positions = RunPositions(run)
        self.attempt = 0  # starts of this epoch that a broker ended
        self._base = base
        self._settings = settings
        self._reporter = reporter
        self.reports = RunReports(settings, run)
        self._clusters = clusters
        self._after = after
        self._state: RunState = "starting"
        self._failure: Failure | None = None
        self._queries: StageQueries | None = None
        self._wanted = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._condemned: Failure | None = None
        self._flowing = frozenset(run.sources)  # without tables that are only copied
        self._counts: RunCounts | None = None  # of a run with several stages
        self._between: Between | None = None  # of a run whose stages pass rows on
        self._wanted.set()
        self._thread = threading.Thread(target=self._keep, name=f"run {run.run_id}", daemon=True)

    # --- what others ask and say ---

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the query as soon as possible; returns at once."""
        self._wanted.clear()
        self._wake.set()
        if self._queries is not None and self._state not in ("stopped", "failed"):
            self._say("stopping")

    def fail(self, failure: Failure) -> None:
        """End the query because of something that it cannot know itself."""
        self._condemned = failure
        self._wake.set()

    def join(self, seconds: float) -> bool:
        """Wait until nothing of it runs; False when it takes longer."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def revise(self, run: DesiredRun) -> None:
        """The same epoch, published again: only the revision may be new."""
        self.run = self.reports.run = self.run.model_copy(update={"revision": run.revision})

    @property
    def state(self) -> RunState:
        """As last said."""
        return self._state

    @property
    def wanted(self) -> bool:
        """False once it was told to stop."""
        return self._wanted.is_set()

    @property
    def alive(self) -> bool:
        """True while a query runs or may start."""
        return self._thread.is_alive()

    @property
    def partitions(self) -> int:
        """How many partitions its query reads on and on."""
        return sum(source.partitions for name, source in self.run.sources.items() if name in self._flowing)

    @property
    def slots(self) -> int:
        """Task slots that it holds: in real-time mode every partition and every state partition, always."""
        if self._state in ("stopped", "failed"):
            return 0
        if self.run.mode == "realtime":
            return self.partitions + self.run.shuffle_partitions
        queries = self._queries  # once: the run's own thread may take it away meanwhile
        return len(queries) if queries is not None else 1

    def beat(self) -> RunBeat:
        """Its part of a heartbeat."""
        return RunBeat(epoch=self.run.epoch, revision=self.run.revision, state=self._state, failure=self._failure)

    def reachable(self, answers: bool) -> None:
        """The input's cluster answers, or does not: a running query waits with it."""
        if not answers and self._state in ("running", "replaying"):
            self._say("waiting")
        elif answers and self._state == "waiting" and self._queries is not None:
            self._say("replaying" if self.positions.replaying else "running")

    def caught_up(self) -> None:
        """Say so, once the positions last heard before the restart are passed."""
        if self._state == "replaying" and not self.positions.replaying:
            self._say("running")

    # --- its own thread ---

    def _keep(self) -> None:
        try:
            self._wait_for_predecessor()
            self._run_on()
        finally:
            if self._state not in ("stopped", "failed"):  # an error of ours, logged by the thread as it ends
                self._fail(failure_of("the engine lost hold of this run; its log says why"))

    def _wait_for_predecessor(self) -> None:
        """Two epochs never run at once, wanted or not."""
        while self._after is not None and not self._after.join(WATCH_SECONDS):
            log.info("run %s: epoch %s waits for the end of epoch %s", self.run.run_id, self.run.epoch, self._after.run.epoch)
        self._after = None

    def _run_on(self) -> None:
        renewed = False
        while self._wanted.is_set():
            failure = self._condemned or self._attempt(renewed=renewed)
            renewed = failure is None
            if failure is None:
                if self._wanted.is_set():
                    self.positions.restarted()
                    continue  # with new copies of its tables
                break
            if failure.code != "BROKER_UNREACHABLE":
                self._fail(failure)
                return
            self._say("waiting", failure)
            self.positions.restarted()
            self._wake.wait(RETRY_SECONDS[min(self.attempt, len(RETRY_SECONDS) - 1)])
            self._wake.clear()
            self.attempt += 1
        self._say("stopped")

    def _attempt(self, *, renewed: bool) -> Failure | None:
        """Run its queries until they are not wanted or due for a new start (None), or one fails.

        A new start that only takes new copies of tables is nobody's business: the run goes on running.
        """
        try:
            if not renewed:
                self._say("starting")
            lost = lost_topic(self.run, self._clusters, self._settings.home)
            if lost is not None:
                return lost
            if not self._wanted.is_set():  # told to stop while the cluster was asked: nothing is begun
                return None
            queries = self._start()
        except _START_ERRORS as error:
            log.warning("run %s: start failed", self.run.run_id, exc_info=error)
            return failure_of(error)
        self._queries = queries
        self._say("replaying" if self.positions.replaying and not renewed else "running")
        try:
            return self._watch(queries)
        finally:
            queries.stop()
            self._queries = None
            if self._between is not None:
                self._between.close()

    def _start(self) -> StageQueries:
        home = self._settings.home
        if self.run.task == "guard":
            listener = self._listener(None)
            return StageQueries(
                {None: (None, lambda: start_guard(self._base, self.run, home, listener, self._counted, self._clusters, self.attempt))}
            )
        plan = plan_of(self.run)
        self._flowing = plan.flowing
        if len(plan.stages) == 1:
            return StageQueries({None: self._starter(plan, None)})
        readers: dict[Reader, frozenset[str]] = {stage.name: stage.flowing for stage in plan.stages}
        cuts = None
        if plan.cut:
            cuts = CutRows(plan)
            readers["passed"] = passed_sources(plan)
            self._between = self._opened()
        self.positions.read_by(readers)
        self._counts = RunCounts(plan, self.run)
        return StageQueries({stage.name: self._starter(plan.of_stage(stage), stage.name, cuts) for stage in plan.stages})

    def _starter(self, plan: Plan, stage: StageName | None, cuts: CutRows | None = None) -> tuple[Plan, Starter]:
        listener = self._listener(stage, counts=late_counts(plan))
        return plan, lambda: start_query(self._base, self.run, plan, self._settings.home, listener, self.attempt, stage, cuts, self._copied)

    def _opened(self) -> Between | None:
        """The topic between the stages; the heartbeat of the last commit is said again, as it may have been lost with an engine."""
        if self.run.between is None:
            return None
        between = Between(self._settings.home, self.run.between, self._clusters)
        between.committed_above(committed_watermark_us(self._base, f"{self.run.checkpoint}/final"), {})
        return between

    def _listener(self, stage: StageName | None, *, counts: int = 1) -> ProgressListener:
        return ProgressListener(partial(self._heard, stage, counts), self._wake.set, partial(self._idle, stage))

    def _copied(self, read: dict[str, SourceRead]) -> None:
        """Called for every start of a query that copies tables."""
        self._reporter.send(self.reports.copied(read))

    def _counted(self, batch: int, ranges: tuple[GuardRange, ...]) -> None:
        """Called by a guard's query for every batch, before it is committed."""
        self._reporter.deliver(self.reports.guard(batch, ranges))

    def _watch(self, queries: StageQueries) -> Failure | None:
        while queries.active:
            if not self._wanted.is_set() or self._condemned is not None or queries.renewal_due:
                return self._condemned
            self._wake.wait(WATCH_SECONDS)
            self._wake.clear()
            if self._between is not None:
                self._between.tick()
                self._pass(self._between)
        return self._lost_topic_or(queries.failure()) if self._wanted.is_set() else None

    def _lost_topic_or(self, failure: Failure) -> Failure:
        """A topic that is gone or another one explains most errors better than their own text."""
        try:
            lost = lost_topic(self.run, self._clusters, self._settings.home)
        except (KafkaException, ClusterRefusedError) as error:
            return failure if failure.code != "ENGINE_ERROR" else failure_of(error)
        return lost.model_copy(update={"raw": failure.raw}) if lost is not None else failure

    def _heard(self, stage: StageName | None, counts: int, text: str) -> None:
        """Called by Spark's listener for every batch."""
        batch = read_progress(text, self.run, late_counts=counts)
        self.positions.committed(batch, stage)
        if self._between is not None:
            self._heard_between(self._between, stage, batch)
        if stage is not None and self._counts is not None:
            batch = replace(self._counts.take(stage, batch), sources=self.positions.now())
        self._reporter.send(self.reports.progress(batch, stage))
        self.caught_up()

    def _idle(self, stage: StageName | None) -> None:
        """Called by Spark's listener when there is nothing to read."""
        self.positions.idle(stage)
        if self._between is not None and stage == "final":
            self._between.idle_above()
            self._pass(self._between)
        self.caught_up()

    def _heard_between(self, between: Between, stage: StageName | None, batch: BatchProgress) -> None:
        if stage == "final":
            between.committed_above(batch.watermark_us or 0, batch.committed)
        elif batch.between is not None:
            between.committed_below(batch.between)
        self._pass(between)

    def _pass(self, between: Between) -> None:
        """Take note of what has gone through both stages."""
        passed = between.take_passed()
        if passed:
            self.positions.passed(passed)
        if between.rests:
            self.positions.idle("passed")

    def _fail(self, failure: Failure) -> None:
        if not answers(self._base):
            # The whole engine is dying, and the platform sees that. Said as this run's own failure it would be counted against the
            # run, and the run begun anew twice.
            log.warning("run %s ends with its JVM", self.run.run_id)
            return
        log.warning("run %s failed: %s: %s", self.run.run_id, failure.code, failure.raw.partition("\n")[0])
        self._say("failed", failure)

    def _say(self, state: RunState, failure: Failure | None = None) -> None:
        with self._lock:
            if self._state in ("stopped", "failed") or (self._state == "stopping" and state != "stopped"):
                return
            self._state, self._failure = state, failure
        self._reporter.send(self.reports.state(state, failure))
