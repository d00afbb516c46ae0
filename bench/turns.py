"""Programs that drain the same records in turn, some seconds each: a machine that changes its speed meanwhile
is as slow for one as for the others.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from bench.peers.processes import Peer
from bench.trials import Trials
from bench.usage import cpu_below

# Shorter than what a Kafka client waits for an answer, for one that waits for two others.
TURN_S: Final = 8.0
_LOOK_S: Final = 0.02  # the fastest side reads 10,000 records meanwhile
_LIMIT_S: Final = 3_600.0  # of one side's turns


class Side:
    """A program that drains a topic from its beginning. It is measured from when it has read the first
    records, because a JVM compiles what is used again, and stands still while it is not its turn.

    Args:
        peer: not started; ended when it has read everything.
        read: how many records it has read, by what it committed.
        check: raises when what it has written is wrong; called at its end.
        warm: records that do not count.
        records: that are there, in all.
    """

    def __init__(
        self, peer: Peer, read: Callable[[], int], check: Callable[[], None], warm: int, records: int
    ) -> None:
        self.rates: dict[str, Any] = {}
        """At its end: per_cpu_s and per_s (records), and settings."""
        self._peer = peer
        self._read = read
        self._check = check
        self._warm = warm
        self._records = records
        self._ran_s = self._measured_from_s = self._cpu_s = 0.0
        self._first: int | None = None

    def turn(self, seconds: float) -> bool:
        """Let it work for so long; returns True once it has read everything.

        Raises:
            RuntimeError: it ended, or had read everything before it could be measured.
            TimeoutError: it is too slow.
        """
        read = 0
        self._peer.go_on()
        began = time.monotonic()
        try:
            while (ran := time.monotonic() - began) < seconds:
                self._peer.check()
                read = self._read()
                if self._first is None and read >= self._warm:
                    self._measure_from(read, self._ran_s + ran)
                if read >= self._records:
                    self.rates = self._rates(self._ran_s + ran)
                    self._check()
                    return True
                time.sleep(_LOOK_S)
        finally:
            self._peer.pause()
            self._ran_s += time.monotonic() - began
        if self._ran_s > _LIMIT_S:
            name, of = self._peer.name, self._records
            raise TimeoutError(f"{name} read {read:,} of {of:,} records in {_LIMIT_S:g} s")
        return False

    def end(self) -> None:
        """End the program."""
        self._peer.stop()

    def _measure_from(self, read: int, ran_s: float) -> None:
        if read >= self._records:
            raise RuntimeError(f"{self._peer.name} had read all before it could be measured: more events")
        self._first, self._measured_from_s, self._cpu_s = read, ran_s, cpu_below(self._peer.pid)

    def _rates(self, ran_s: float) -> dict[str, Any]:
        assert self._first is not None
        counted = self._records - self._first
        return {
            "per_cpu_s": round(counted / (cpu_below(self._peer.pid) - self._cpu_s)),
            "per_s": round(counted / (ran_s - self._measured_from_s)),
            "settings": self._peer.settings,
        }


def in_turn(sides: dict[str, Side], parts: Trials, seconds: float = TURN_S) -> dict[str, dict[str, Any]]:
    """Let the sides drain in turn until each has read everything.

    Args:
        sides: by name.
        parts: learns which of them failed, and why.
        seconds: of a turn.

    Returns:
        their rates by name, without those that failed.

    Raises:
        RuntimeError: all of them failed.
    """
    working, found = dict(sides), {}
    try:
        while working:
            for name, side in list(working.items()):
                is_done = parts.run(name, partial(side.turn, seconds))
                if is_done is False:
                    continue
                side.end()
                del working[name]
                if is_done:
                    found[name] = side.rates
                    print(f"{name}: {side.rates}", flush=True)
    finally:
        for side in sides.values():
            side.end()
    if not found:
        raise RuntimeError(parts.failed)
    return found
