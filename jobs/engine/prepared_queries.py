"""Queries of runs that another engine hands over: planned and lowered before that engine has stopped.

Preparing reads no records and writes to no checkpoint, so it is no execution of the epoch
(`docs/architecture.md#fencing`). It takes from the hand-over what needs no knowledge of where the old epoch
ended (`docs/decisions/2026-11-25-recovery.md`).
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.engine.aggregate_layouts import StateLayoutError
from jobs.engine.log_context import about
from jobs.engine.lowering import LoweringError
from jobs.engine.query import PlanRefusedError, PreparedQuery, plan_of, prepare_query
from jobs.kafka_messages import DesiredRun, EngineSettings
from jobs.plan import Plan
from jobs.run_states import RUNNING

# What may differ between the record that announces a hand-over and the one that starts the next epoch.
_INCIDENTAL: Final[dict[str, Any]] = {
    "revision": 0,
    "replay_until": {},
    "committed": {},
    "recovering": True,
    "precedence": 0,
    "published_us": None,
    "successor_id": None,
}

# For a preparation that is under way when its epoch starts. Without other work lowering takes less; a start
# from the beginning beside one that hangs is better than none.
WAIT_S: Final = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Prepared:
    run: DesiredRun
    plan: Plan
    query: PreparedQuery


class PreparedQueries:
    """Prepares each run in a thread of its own, once. Thread-safe.

    Args:
        settings: of the engine.
        runs: returns the number of runs of the host's engines, the prepared one included.
    """

    def __init__(self, settings: EngineSettings, runs: Callable[[], int]) -> None:
        self._settings = settings
        self._runs_of_host = runs
        self._lock = threading.Lock()
        self._runs: dict[str, tuple[int, Future[_Prepared | None]]] = {}  # run id → epoch, what is prepared

    def prepare(self, session: SparkSession, announced: DesiredRun) -> None:
        """Prepare the epoch after the announced one; returns at once."""
        run = next_epoch(announced, self._settings.engine_id)
        done: Future[_Prepared | None] = Future()
        with self._lock:
            if run.run_id in self._runs and self._runs[run.run_id][0] >= run.epoch:
                return
            self._runs[run.run_id] = (run.epoch, done)

        def work() -> None:
            found = None
            try:
                with about(run):
                    found = _prepared(session, run, self._settings, self._runs_of_host())
            finally:
                done.set_result(found)

        threading.Thread(target=work, name=f"prepare {run.run_id}", daemon=True).start()

    def discard(self, run_id: str) -> None:
        """Drop what was prepared, or is being prepared, for a run whose hand-over was given up."""
        with self._lock:
            self._runs.pop(run_id, None)

    def take(self, run: DesiredRun) -> tuple[Plan, PreparedQuery] | None:
        """What was prepared for exactly this epoch of the run; None: nothing. It is given once.

        Waits `WAIT_S` at most for what is being prepared: to begin again from the start would take longer.
        """
        with self._lock:
            epoch, done = self._runs.pop(run.run_id, (0, None))
        if done is None or epoch != run.epoch:
            return None
        try:
            found = done.result(WAIT_S)
        except TimeoutError:
            with about(run):
                log.warning("epoch %s is not prepared yet, and starts without it", run.epoch)
            return None
        if found is None or found.run != incidental_left_out(run):
            return None
        return found.plan, found.query


def _prepared(
    session: SparkSession, run: DesiredRun, settings: EngineSettings, runs: int
) -> _Prepared | None:
    if run.task != "job":
        return None
    try:
        plan = plan_of(run, settings.home)
        if len(plan.queries) != 1 or plan.static:
            return None  # several queries start in order; static inputs are read when the queries start
        query = prepare_query(session, run, plan, settings.home, runs=runs)
    except (
        PlanRefusedError,
        LoweringError,
        StateLayoutError,
        KafkaException,
        PySparkException,
        Py4JError,
    ) as error:
        log.warning("the run could not be prepared", exc_info=error)
        return None
    log.info("epoch %s is prepared", run.epoch)
    return _Prepared(incidental_left_out(run), plan, query)


def next_epoch(announced: DesiredRun, engine_id: str) -> DesiredRun:
    """The run as it will be desired of this engine."""
    return announced.model_copy(
        update={"engine_id": engine_id, "epoch": announced.epoch + 1, "state": RUNNING, "successor_id": None}
    )


def incidental_left_out(run: DesiredRun) -> DesiredRun:
    """The run without what its queries do not depend on."""
    return run.model_copy(update=_INCIDENTAL)
