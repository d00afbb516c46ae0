"""Supervises one run: starts its queries, watches them, retries while a broker is unreachable, and stops them
on request.
"""

import logging
import threading
import time
from typing import Final

from confluent_kafka import KafkaException
from pyspark.sql import SparkSession

from jobs.cluster_identity import ClusterRefusedError
from jobs.encryption import DecryptionError
from jobs.engine.backlog import FallingBehind, NextDrain, waiting
from jobs.engine.batch_end import BatchEnd
from jobs.engine.catching_up import CatchUp
from jobs.engine.commit_interval import commit_interval_ms
from jobs.engine.failures import failure_of, topic_not_known_yet
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.log_context import about
from jobs.engine.observed_state import ObservedState
from jobs.engine.positions import RunPositions
from jobs.engine.prepared_queries import PreparedQueries
from jobs.engine.progress_tracker import ProgressTracker
from jobs.engine.query_starter import START_ERRORS, QueryStarter
from jobs.engine.reporter import Reporter
from jobs.engine.run_queries import RunQueries
from jobs.engine.run_reports import RunReports
from jobs.engine.session import is_alive
from jobs.engine.start_gate import StartGate
from jobs.engine.topic_checks import find_lost_topic, outputs_exist
from jobs.kafka_messages import CatchingUp, DesiredRun, EngineSettings, Failure, RunHeartbeat
from jobs.run_states import (
    FAILED,
    QUEUED,
    READING,
    REPLAYING,
    RUNNING,
    STARTING,
    STOPPED,
    STOPPING,
    WAITING,
    RunState,
)

WATCH_INTERVAL_S: Final = 1.0
RETRY_DELAYS_S: Final = (0.5, 1.0, 2.0, 5.0)
BATCH_END_WITHIN_S: Final = 30.0  # beyond the commit interval of the run

COMMITS_WITHIN_S: Final = 15.0  # what is on its way between the stages still gives results meanwhile
COMMIT_LOOK_S: Final = 0.05

log = logging.getLogger(__name__)


class RunSupervisor:
    """Supervises one epoch of one run on this engine. Its own thread does whatever may take time.

    A run has one or two queries. It runs while all of them do, and ends when one of them ends.
    """

    def __init__(
        self,
        run: DesiredRun,
        base: SparkSession,
        settings: EngineSettings,
        reporter: Reporter,
        admins: KafkaAdmins,
        gate: StartGate,
        predecessor: "RunSupervisor | None" = None,
        prepared: PreparedQueries | None = None,
    ) -> None:
        self.positions = RunPositions(run)
        self.reports = RunReports(settings, run)
        self.attempt = 0  # starts of this epoch before the present one
        self._admitted_before = run.recovering
        self._next_drain = NextDrain(run)
        self._runs = 1  # of the host, when the present queries were started
        self._fell_behind = False
        self._base = base
        self._home = settings.home
        self._admins = admins
        self._gate = gate
        self._predecessor = predecessor
        self._observed = ObservedState(reporter, self.reports)
        self._queries: RunQueries | None = None
        self._should_run = threading.Event()
        self._wake = threading.Event()
        self._abort_reason: Failure | None = None
        self._tracker = ProgressTracker(reporter, self.reports, self.positions, self.on_positions)
        self._batch_end = BatchEnd(lambda: self._tracker.boundaries)
        self._starter = QueryStarter(
            run,
            base,
            settings,
            admins,
            self.positions,
            self._tracker,
            self._wake.set,
            lambda: self.reports.reached("planned"),
            prepared,
        )
        if run.published_us is not None:
            self.reports.reached("placed", run.published_us)
        self._should_run.set()
        self._thread = threading.Thread(target=self._supervise, name=f"run {run.run_id}", daemon=True)

    # --- called by other threads ---

    def start(self) -> None:
        """Start the thread; returns at once."""
        self.reports.reached("received")
        self._thread.start()

    def stop(self) -> None:
        """End the queries as soon as possible; returns at once."""
        self._should_run.clear()
        self._wake.set()
        if self._queries is not None and not self._observed.ended:
            self._observed.report(STOPPING)

    def stop_at_batch_end(self) -> None:
        """End the queries once their present batch is committed, so that the next epoch has nothing to read
        again; at the latest after `BATCH_END_WITHIN_S`. Returns at once.
        """
        if self._observed.state not in READING:
            self.stop()
        else:
            self._batch_end.ask(BATCH_END_WITHIN_S + commit_interval_ms(self.run, self._runs) / 1_000)

    def abort(self, failure: Failure) -> None:
        """End the queries because of a failure that they cannot notice themselves."""
        self._abort_reason = failure
        self._wake.set()

    def join(self, seconds: float) -> bool:
        """Wait until the thread has ended; False when it takes longer."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def revise(self, run: DesiredRun) -> None:
        """Take over the revision of a newer record of the same epoch; nothing else may differ."""
        self.reports.run = self.run.model_copy(update={"revision": run.revision})

    @property
    def run(self) -> DesiredRun:
        """The desired run, with the latest revision."""
        return self.reports.run

    @property
    def state(self) -> RunState:
        """The state as last reported."""
        return self._observed.state

    @property
    def should_run(self) -> bool:
        """False after `stop`."""
        return self._should_run.is_set()

    @property
    def alive(self) -> bool:
        """True while a query runs or may start."""
        return self._thread.is_alive()

    @property
    def slots(self) -> int:
        """Task slots that the run holds: by its plan, or one per query while it reads in micro-batches."""
        if self._observed.ended:
            return 0
        queries = self._queries  # read once: the run's own thread may set it to None meanwhile
        if queries is not None and (self.run.mode == "microbatch" or queries.draining):
            return len(queries)
        return self.run.slots

    @property
    def draining(self) -> bool:
        """True while a run in real-time mode reads a backlog in micro-batches."""
        queries = self._queries  # read once, as in `slots`
        return queries is not None and queries.draining

    def catching_up(self) -> CatchingUp | None:
        """How far the run has come that drains a backlog; None: it does not."""
        catch_up = self._tracker.catch_up
        if catch_up is None or not self.draining:
            return None
        left = waiting(self.run, self._starter.streaming, self.positions)
        return catch_up.report(left, self._ends())

    def _ends(self) -> int | None:
        ends = self.positions.end_offsets(self._starter.streaming)
        return sum(ends.values()) if ends else None

    def heartbeat(self) -> RunHeartbeat:
        """The run's part of the engine's heartbeat."""
        state, failure = self._observed.told
        return RunHeartbeat(epoch=self.run.epoch, revision=self.run.revision, state=state, failure=failure)

    def on_reachability(self, *, reachable: bool) -> None:
        """Report that the run waits for an unreachable input cluster, or continues once all are reachable."""
        if not reachable and self._observed.state in READING:
            self._observed.report(WAITING)
        elif reachable and self._observed.state == WAITING and self._queries is not None:
            self._report_reading(replays=True)

    def on_positions(self) -> None:
        """Positions were updated, maybe because a batch has ended: report the end of replaying once the
        positions before the restart are passed, and stop where that was to wait for a batch's end.
        """
        if self._batch_end.reached and self.should_run:
            self.stop()
        if self._observed.state == REPLAYING and not self.positions.replaying:
            self._report_reading(replays=True)

    # --- its own thread ---

    def _supervise(self) -> None:
        with about(self.run):
            try:
                self._wait_for_predecessor()
                self._run_until_stopped()
            finally:
                if not self._observed.ended:  # a bug in the supervisor, logged when the thread ends
                    self._fail(
                        failure_of(
                            "The engine stopped supervising this run unexpectedly. See the engine log."
                        )
                    )

    def _wait_for_predecessor(self) -> None:
        """Wait until the previous epoch has ended, because two epochs of a run must never run at once."""
        while self._predecessor is not None and not self._predecessor.join(WATCH_INTERVAL_S):
            log.info("epoch %s waits for the end of epoch %s", self.run.epoch, self._predecessor.run.epoch)
        self._predecessor = None

    def _run_until_stopped(self) -> None:
        goes_on, failures = False, 0
        while self._should_run.is_set():
            failure = self._abort_reason or self._attempt(goes_on=goes_on)
            goes_on = failure is None
            self.attempt += 1
            if failure is not None and failure.code != "BROKER_UNREACHABLE":
                self._fail(failure)
                return
            if self._batch_end.asked:  # the queries have ended, so no batch is left to wait for
                self.stop()
            if not self._should_run.is_set():
                break
            self.positions.restarted()
            if failure is None:
                failures = 0
                continue  # with reloaded broadcast tables, or in the other mode
            self._observed.report(WAITING, failure)
            self._next_drain.starts()
            self._wake.wait(RETRY_DELAYS_S[min(failures, len(RETRY_DELAYS_S) - 1)])
            self._wake.clear()
            failures += 1
        self._observed.report(STOPPED)

    def _attempt(self, *, goes_on: bool) -> Failure | None:
        """Start the queries and watch them until they end.

        Args:
            goes_on: the previous attempt ended without failure, so that this restart only reloads broadcast
                tables or changes the mode, and is not reported unless it has to wait.

        Returns:
            The failure; None when they were stopped, have drained a backlog or fallen behind, or a broadcast
            refresh is due.
        """
        replays = not goes_on or self._fell_behind or self._observed.state != RUNNING
        self._fell_behind = False
        try:
            if not goes_on:
                self._observed.report(STARTING)
            lost = find_lost_topic(self.run, self._admins, self._home, self.positions)
            if lost is not None:
                return lost
            if not self._admitted():  # stopped meanwhile: nothing is started
                return self._abort_reason
            self._runs = self._gate.runs_at_start()
            began = time.monotonic()
            queries = self._starter.start(self.attempt, self._next_drain.least, self._runs)
        except START_ERRORS as error:
            log.warning("the queries could not be started", exc_info=error)
            self._tracker.close()
            return self._lost_topic_or(failure_of(error))
        self._tracker.catch_up = CatchUp(self._ends()) if queries.draining else None
        self._queries = queries
        self.reports.reached("queries_started")
        log.info(
            "%s started in %s (epoch %s, attempt %s)",
            "1 query is" if len(queries) == 1 else f"{len(queries)} queries are",
            "real-time mode" if self.run.mode == "realtime" and not queries.draining else "micro-batches",
            self.run.epoch,
            self.attempt + 1,
        )
        self._report_reading(replays=replays)
        try:
            return self._watch(queries, began)
        finally:
            queries.stop()
            self._queries = None
            self._tracker.close()

    def _report_reading(self, *, replays: bool) -> None:
        """Report that the queries run, or replay.

        Args:
            replays: what they read first may have given results before. Not where they ended between two
                batches, although their consumers may have fetched more than was committed.
        """
        if self.positions.replaying and replays:
            self._observed.report(REPLAYING)
            return
        if not self.draining:
            self.reports.reached("caught_up")
        self._observed.report(RUNNING)

    def _admitted(self) -> bool:
        """Wait until the engine lets the queries start; False when the run is stopped meanwhile."""
        admitted = self._gate.enter(
            lambda: self._should_run.is_set() and self._abort_reason is None,
            lambda reason: self._observed.report(QUEUED, reason),
            admitted_before=self._admitted_before,
            precedence=self.run.precedence,
        )
        self._admitted_before = self._admitted_before or admitted
        if admitted and self._observed.state == QUEUED:
            self._observed.report(STARTING)
        return admitted

    def _watch(self, queries: RunQueries, began: float) -> Failure | None:
        may_drain = self.run.mode == "realtime" and len(queries) == 1 and not queries.draining
        falling_behind = FallingBehind(self.run.catch_up_from)
        while queries.active:
            if not self._should_run.is_set() or self._abort_reason is not None or queries.refresh_due:
                return self._abort_reason
            if self._batch_end.overdue:
                log.warning("the run stops in the middle of a batch, which takes too long")
                self.stop()
                continue
            if may_drain and falling_behind.update(time.monotonic(), self.positions.reading()):
                log.info("the run falls behind in real-time mode, and goes on in micro-batches")
                self._next_drain.fell_behind()
                self._fell_behind = not self._end_batch(queries)
                return None
            self._wake.wait(WATCH_INTERVAL_S)
            self._wake.clear()
            self._tracker.tick()
        reached = queries.drained_to
        if reached is not None:
            self.positions.drained(reached)
            took_s = time.monotonic() - began
            self._next_drain.drained(took_s, changing_table=queries.reads_changing_table)
            return None
        return self._lost_topic_or(queries.failure()) if self._should_run.is_set() else None

    def _end_batch(self, queries: RunQueries) -> bool:
        """Stop the queries when they have committed what they have read; False: they are stopped in the
        middle of a batch, since it takes too long, or because the run is to stop.
        """
        before, until = self._tracker.boundaries, time.monotonic() + COMMITS_WITHIN_S
        with queries.ending_batches():
            while self._tracker.boundaries == before and self.should_run and self._abort_reason is None:
                if time.monotonic() > until or not queries.active:
                    return False
                self._wake.wait(COMMIT_LOOK_S)
                self._wake.clear()
            queries.stop()
        return self._tracker.boundaries > before

    def _lost_topic_or(self, failure: Failure) -> Failure:
        """The failure, or that of a deleted or recreated topic, which explains most errors better.

        A failure that says a topic is gone is not believed while all of them exist.
        """
        try:
            lost = find_lost_topic(self.run, self._admins, self._home, self.positions)
            if lost is not None:
                return lost.model_copy(update={"raw": failure.raw})
            if failure.code == "TOPIC_NOT_FOUND" and outputs_exist(self.run, self._admins, self._home):
                return topic_not_known_yet(failure.raw)
        except (KafkaException, ClusterRefusedError, DecryptionError) as error:
            return failure if failure.code != "ENGINE_ERROR" else failure_of(error)
        return failure

    def _fail(self, failure: Failure) -> None:
        if not is_alive(self._base):
            # The whole engine is ending, which the platform notices. A failure of this run would count
            # against the run, and the run would be restarted twice.
            log.warning("the run ends with its JVM")
            return
        if not self.should_run:
            # It failed while it was being stopped, of the stop maybe. Nobody waits for anything but its end.
            log.warning("the run ends as it was to: it has failed (%s) %s", failure.code, failure.message)
            self._observed.report(STOPPED)
            return
        self._observed.report(FAILED, failure)
