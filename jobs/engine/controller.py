"""Reconciles the engine's runs with the desired ones, and never lets two epochs of a run write at once
(`docs/architecture.md#fencing`).
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from jobs.engine.log_context import RunEpoch, about
from jobs.engine.run_supervisor import RunSupervisor
from jobs.kafka_messages import DesiredRun, RunHeartbeat
from jobs.run_states import STARTED, STOPPED

T = TypeVar("T")

log = logging.getLogger(__name__)

SupervisorFactory = Callable[[DesiredRun, RunSupervisor | None], RunSupervisor]


def _nothing(run: DesiredRun) -> None:
    """Prepare nothing."""


def _nothing_to_discard(run_id: str) -> None:
    """Nothing was prepared."""


class Controller:
    """Holds a supervisor for each run that this engine runs, ran, or has to stop.

    Dictionaries are replaced, never mutated, so that a heartbeat can read them without the lock of `apply`.

    Args:
        engine_id: of this engine.
        make: makes the supervisor of an epoch, whose predecessor has to end first.
        prepare: called with a run that another engine is about to hand over to this one; returns at once.
        discard: called with the id of a run that is not handed over to this engine, or not any more.
        host: of this engine, as runs name it; empty: unknown. An engine whose host was declared gone moves to
            another one with its id, and a process that was only cut off must not execute its runs there.
    """

    def __init__(
        self,
        engine_id: str,
        make: SupervisorFactory,
        prepare: Callable[[DesiredRun], None] = _nothing,
        discard: Callable[[str], None] = _nothing_to_discard,
        *,
        host: str = "",
    ) -> None:
        self._engine_id = engine_id
        self._host = host
        self._make = make
        self._prepare = prepare
        self._discard = discard
        self._supervisors: dict[str, RunSupervisor] = {}
        # Of runs that were deleted or went to another engine; those that have ended are dropped.
        self._released: dict[str, RunSupervisor] = {}
        # Desired to be stopped, in an epoch that was never started here.
        self._halted: dict[str, DesiredRun] = {}
        # Epoch and revision of the newest record of each run, on any engine.
        self._newest: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def apply(self, run_id: str, run: DesiredRun | None) -> None:
        """Apply a record of `weir.runs`; None is a tombstone."""
        with self._lock:
            supervisor = self._supervisors.get(run_id)
            if run is not None and (run.epoch, run.revision) < self._newest.get(run_id, (0, 0)):
                # Two publish at the same time, or the topic was recreated and is read again.
                with about(run):
                    text = "epoch %s, revision %s, is older than epoch %s, revision %s"
                    log.info(text, run.epoch, run.revision, *self._newest[run_id])
                return
            if run is not None:
                self._newest[run_id] = run.epoch, run.revision
            else:
                self._newest.pop(run_id, None)  # the job was deleted; run ids are not reused
            if run is None or not self._is_here(run):
                self._release(run_id, supervisor)
                if run is not None and run.successor_id == self._engine_id:
                    self._prepare(run)
                else:
                    self._discard(run_id)
            elif run.state == STOPPED:
                self._discard(run_id)
                self._halt(run, supervisor)
            elif supervisor is None or run.epoch > supervisor.run.epoch or not supervisor.should_run:
                self._start(run, supervisor or self._released.get(run_id))
            else:
                supervisor.revise(run)

    def _is_here(self, run: DesiredRun) -> bool:
        elsewhere = bool(run.host) and bool(self._host) and run.host != self._host
        return run.engine_id == self._engine_id and not elsewhere

    def supervisors(self) -> list[RunSupervisor]:
        """All supervisors, those of ended runs included."""
        return list(self._supervisors.values())

    def logs_of(self, run: RunEpoch) -> bool:
        """Whether what Spark logs about this epoch belongs to its log: not while it is being stopped, because
        a stopped query ends loudly.
        """
        supervisor = self._supervisors.get(run.run_id)
        return supervisor is not None and supervisor.run.epoch == run.epoch and supervisor.should_run

    def heartbeats(self) -> dict[str, RunHeartbeat]:
        """The heartbeat of each run, by run id."""
        halted, supervisors = self._halted, self._supervisors
        stopped = {
            run_id: RunHeartbeat(epoch=run.epoch, revision=run.revision, state=STOPPED)
            for run_id, run in halted.items()
        }
        # An epoch that never started has stopped once the one before it has ended.
        told = {
            run_id: supervisor.heartbeat()
            for run_id, supervisor in supervisors.items()
            if run_id not in halted or supervisor.alive
        }
        return {**stopped, **told}

    def alive(self) -> int:
        """Number of runs that have not ended."""
        return sum(supervisor.alive for supervisor in [*self.supervisors(), *self._released.values()])

    def slots_used(self) -> int:
        """Task slots that running runs hold."""
        return sum(supervisor.slots for supervisor in self.supervisors())

    def started(self) -> int:
        """Number of runs whose queries have been started."""
        return sum(supervisor.state in STARTED for supervisor in self.supervisors())

    def stop_all(self, seconds: float) -> None:
        """Stop every run, waiting at most this long in total."""
        until = time.monotonic() + seconds
        supervisors = self.supervisors()
        for supervisor in supervisors:
            supervisor.stop()
        for supervisor in supervisors:
            supervisor.join(max(0.0, until - time.monotonic()))

    def _start(self, run: DesiredRun, predecessor: RunSupervisor | None) -> None:
        if predecessor is not None:
            predecessor.stop()
        supervisor = self._make(run, predecessor if predecessor is not None and predecessor.alive else None)
        self._supervisors = {**self._supervisors, run.run_id: supervisor}
        self._halted = _without(self._halted, run.run_id)
        supervisor.start()

    def _halt(self, run: DesiredRun, supervisor: RunSupervisor | None) -> None:
        if supervisor is None or supervisor.run.epoch < run.epoch:
            # Started and stopped again before anybody published that it is to run.
            if supervisor is not None:
                supervisor.stop()
            self._halted = {**self._halted, run.run_id: run}
            return
        supervisor.revise(run)
        if run.successor_id is None:
            supervisor.stop()
        else:
            supervisor.stop_at_batch_end()

    def _release(self, run_id: str, supervisor: RunSupervisor | None) -> None:
        """Stop and drop a run that was deleted or belongs to another engine."""
        self._halted = _without(self._halted, run_id)
        if supervisor is not None:
            supervisor.stop()
            self._supervisors = _without(self._supervisors, run_id)
            ending = {name: each for name, each in self._released.items() if each.alive}
            self._released = {**ending, run_id: supervisor}


def _without(items: dict[str, T], key: str) -> dict[str, T]:
    return {name: item for name, item in items.items() if name != key}
