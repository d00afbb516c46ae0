"""Keeps one run as it is desired: starts its query, watches it, waits out a broker that is away, stops it at once."""

import logging
import threading
from typing import Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
from jobs.engine.failures import failure_of, topic_gone, topic_recreated
from jobs.engine.guard import start_guard
from jobs.engine.listener import ProgressListener
from jobs.engine.lowering import LoweringError, counts_late_twice
from jobs.engine.operators.table_copy import CopyTooLargeError
from jobs.engine.positions import RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.query import PlanRefusedError, plan_of, start_query
from jobs.engine.renewal import Renewal
from jobs.engine.reporter import Reporter, now_us
from jobs.messages import DesiredRun, EngineSettings, Failure, GuardRange, GuardReport, ProgressReport, RunBeat, RunState, RunStateReport
from jobs.sealing import SealError

WATCH_SECONDS: Final = 1.0
RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)

log = logging.getLogger(__name__)


class RunKeeper:
    """One epoch of one run on this engine. Its own thread does everything that may take time."""

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
        self._clusters = clusters
        self._after = after
        self._state: RunState = "starting"
        self._failure: Failure | None = None
        self._query: StreamingQuery | None = None
        self._wanted = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._condemned: Failure | None = None
        self._flowing = frozenset(run.sources)  # without tables that are only copied
        self._late_twice = False
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
        query = self._query
        if query is not None and self._state not in ("stopped", "failed"):
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
        self.run = self.run.model_copy(update={"revision": run.revision})

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
        return 1

    def beat(self) -> RunBeat:
        """Its part of a heartbeat."""
        return RunBeat(epoch=self.run.epoch, revision=self.run.revision, state=self._state, failure=self._failure)

    def reachable(self, answers: bool) -> None:
        """The input's cluster answers, or does not: a running query waits with it."""
        if not answers and self._state in ("running", "replaying"):
            self._say("waiting")
        elif answers and self._state == "waiting" and self._query is not None:
            self._say("replaying" if self.positions.replaying else "running")

    def caught_up(self) -> None:
        """The positions last heard before the restart are passed."""
        if self._state == "replaying":
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
        while self._wanted.is_set():
            failure = self._condemned or self._attempt()
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

    def _attempt(self) -> Failure | None:
        """Run the query until it is not wanted or due for a new start (None), or fails."""
        try:
            self._say("starting")
            lost = self._lost_topic()
            if lost is not None:
                return lost
            query, renewal = self._start_query()
        except (PySparkException, Py4JError, PlanRefusedError, LoweringError, CopyTooLargeError, KafkaException, SealError) as error:
            log.warning("run %s: start failed", self.run.run_id, exc_info=error)
            return failure_of(error)
        self._query = query
        self._say("replaying" if self.positions.replaying else "running")
        try:
            return self._watch(query, renewal)
        finally:
            self._query = None

    def _start_query(self) -> tuple[StreamingQuery, Renewal]:
        listener, home = ProgressListener(self._heard, self._wake.set, self._idle), self._settings.home
        if self.run.task == "guard":
            return start_guard(self._base, self.run, home, listener, self._counted, self.attempt), Renewal(None)
        plan = plan_of(self.run)
        self._flowing, self._late_twice = plan.flowing, counts_late_twice(plan)
        return start_query(self._base, self.run, plan, home, listener, self.attempt), Renewal(plan)

    def _counted(self, batch: int, ranges: tuple[GuardRange, ...]) -> None:
        """Called by a guard's query for every batch, before it is committed."""
        (source,) = self.run.sources.values()
        self._reporter.deliver(
            GuardReport(
                at_us=now_us(),
                engine_id=self._settings.engine_id,
                incarnation=self._settings.incarnation,
                run_id=self.run.run_id,
                epoch=self.run.epoch,
                batch=batch,
                topic_id=source.topic_id,
                ranges=ranges,
            )
        )

    def _watch(self, query: StreamingQuery, renewal: Renewal) -> Failure | None:
        while query.isActive:
            if not self._wanted.is_set() or self._condemned is not None or renewal.due(query):
                query.stop()
                return self._condemned
            self._wake.wait(WATCH_SECONDS)
            self._wake.clear()
        if not self._wanted.is_set():
            return None
        error = query.exception()
        if isinstance(error, StreamingQueryException):
            return self._lost_topic_or(failure_of(str(error), "StreamingQueryException"))
        return failure_of("the query ended without an error")

    def _lost_topic_or(self, failure: Failure) -> Failure:
        """A topic that is gone or another one explains most errors better than their own text."""
        try:
            lost = self._lost_topic()
        except KafkaException as error:
            return failure if failure.code != "ENGINE_ERROR" else failure_of(error)
        return lost.model_copy(update={"raw": failure.raw}) if lost is not None else failure

    def _lost_topic(self) -> Failure | None:
        profiles: dict[str, ClusterProfile] = {}
        topics: dict[str, dict[str, str]] = {}
        for source in self.run.sources.values():
            profiles[source.cluster.cluster_id] = source.cluster
            topics.setdefault(source.cluster.cluster_id, {})[source.topic] = source.topic_id
        for cluster, wanted in topics.items():
            found = self._clusters.topic_ids(profiles[cluster], list(wanted))
            for topic, topic_id in wanted.items():
                failure = judge_topic(topic, topic_id, found[topic])
                if failure is not None:
                    return failure
        return None

    def _heard(self, text: str) -> None:
        """Called by Spark's listener for every batch."""
        batch = read_progress(text, self.run, late_twice=self._late_twice)
        self.positions.committed(batch)
        self._reporter.send(self._report(batch))
        if not self.positions.replaying:
            self.caught_up()

    def _idle(self) -> None:
        """Called by Spark's listener when there is nothing to read."""
        self.positions.idle()
        self.caught_up()

    def _report(self, batch: BatchProgress) -> ProgressReport:
        return ProgressReport(
            at_us=now_us(),
            engine_id=self._settings.engine_id,
            incarnation=self._settings.incarnation,
            run_id=self.run.run_id,
            epoch=self.run.epoch,
            batch=batch.batch,
            began_us=batch.began_us,
            duration_ms=batch.duration_ms,
            rows_in=batch.rows_in,
            rows_out=batch.rows_out,
            sources=batch.sources,
            watermark_us=batch.watermark_us,
            late=batch.late,
            malformed=batch.malformed,
            expression_nulls=batch.expression_nulls,
            limit_reached=batch.limit_reached,
            state_rows=batch.state_rows,
            state_bytes=batch.state_bytes,
            durations_ms=batch.durations_ms,
        )

    def _fail(self, failure: Failure) -> None:
        log.warning("run %s failed: %s: %s", self.run.run_id, failure.code, failure.raw.partition("\n")[0])
        self._say("failed", failure)

    def _say(self, state: RunState, failure: Failure | None = None) -> None:
        with self._lock:
            if self._state in ("stopped", "failed") or (self._state == "stopping" and state != "stopped"):
                return
            self._state, self._failure = state, failure
        self._reporter.send(
            RunStateReport(
                at_us=now_us(),
                engine_id=self._settings.engine_id,
                incarnation=self._settings.incarnation,
                run_id=self.run.run_id,
                epoch=self.run.epoch,
                revision=self.run.revision,
                state=state,
                failure=failure,
            )
        )


def judge_topic(topic: str, wanted: str, found: str | None) -> Failure | None:
    """Compare Kafka's id of a topic with the one that the run began with; an empty `wanted` accepts any."""
    if found is None:
        return topic_gone(topic)
    return topic_recreated(topic) if wanted and found != wanted else None
