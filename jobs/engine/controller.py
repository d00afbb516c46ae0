"""Makes what runs match what is desired, and never lets two epochs of a run write at once (`docs/architecture.md#fencing`)."""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from jobs.engine.keeper import RunKeeper
from jobs.messages import DesiredRun, RunBeat

T = TypeVar("T")

log = logging.getLogger(__name__)

KeeperFactory = Callable[[DesiredRun, RunKeeper | None], RunKeeper]


class Controller:
    """Holds a keeper per run that this engine runs, ran, or was told to stop.

    Its dictionaries are replaced and never changed, so that a heartbeat reads them without the lock that `apply` holds.
    """

    def __init__(self, engine_id: str, make: KeeperFactory) -> None:
        self._engine_id = engine_id
        self._make = make
        self._keepers: dict[str, RunKeeper] = {}
        self._halted: dict[str, DesiredRun] = {}  # told to stop before they ever ran here
        self._epochs: dict[str, int] = {}  # the greatest seen per run, whichever engine it named
        self._lock = threading.Lock()

    def apply(self, run_id: str, run: DesiredRun | None) -> None:
        """One record of `weir.runs`; None is a tombstone."""
        with self._lock:
            keeper = self._keepers.get(run_id)
            if run is not None and run.epoch < self._epochs.get(run_id, 0):
                log.info("run %s: epoch %s is older than %s", run_id, run.epoch, self._epochs[run_id])
                return
            if run is not None:
                self._epochs[run_id] = run.epoch
            else:
                self._epochs.pop(run_id, None)  # the job is deleted; its id does not come back
            if run is None or run.engine_id != self._engine_id:
                self._release(run_id, keeper)
            elif run.state == "stopped":
                self._halt(run, keeper)
            elif keeper is None or run.epoch > keeper.run.epoch or not keeper.wanted:
                self._begin(run, keeper)
            else:
                keeper.revise(run)

    def keepers(self) -> list[RunKeeper]:
        """All of them."""
        return list(self._keepers.values())

    def beats(self) -> dict[str, RunBeat]:
        """What a heartbeat says of runs."""
        halted, keepers = self._halted, self._keepers
        stopped = {run_id: RunBeat(epoch=run.epoch, revision=run.revision, state="stopped") for run_id, run in halted.items()}
        return {**stopped, **{run_id: keeper.beat() for run_id, keeper in keepers.items()}}

    def slots_used(self) -> int:
        """Task slots that running runs hold."""
        return sum(keeper.slots for keeper in self.keepers())

    def stop_all(self, seconds: float) -> None:
        """Stop every query; gives all of them together this long."""
        keepers = self.keepers()
        for keeper in keepers:
            keeper.stop()
        for keeper in keepers:
            keeper.join(seconds / max(len(keepers), 1))

    def _begin(self, run: DesiredRun, before: RunKeeper | None) -> None:
        if before is not None:
            before.stop()
        keeper = self._make(run, before if before is not None and before.alive else None)
        self._keepers = {**self._keepers, run.run_id: keeper}
        self._halted = _without(self._halted, run.run_id)
        keeper.start()

    def _halt(self, run: DesiredRun, keeper: RunKeeper | None) -> None:
        if keeper is None:
            self._halted = {**self._halted, run.run_id: run}
            return
        keeper.revise(run)
        keeper.stop()

    def _release(self, run_id: str, keeper: RunKeeper | None) -> None:
        """Not ours any more: stop at once, say so, forget."""
        self._halted = _without(self._halted, run_id)
        if keeper is not None:
            keeper.stop()
            self._keepers = _without(self._keepers, run_id)


def _without(items: dict[str, T], key: str) -> dict[str, T]:
    return {name: item for name, item in items.items() if name != key}
