"""What tails may take of the event loop, which everybody needs: a share for each person, whatever the number
of their connections and tails, and one for all tails of a process.
"""

import asyncio
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Final, Protocol

# In the long run; a frame that took c seconds is followed by a pause of 19 c for its person and 4 c for all.
PERSON_SHARE: Final = 0.05  # some twenty full frames a second of ordinary records
ALL_SHARE: Final = 0.2  # four people who follow all they can have it; more of them take turns
# Seconds of the loop that may be taken without a pause, so that small frames are not kept waiting: a hundred
# of a millisecond are sent within half a second.
PERSON_AT_ONCE_S: Final = 0.1
ALL_AT_ONCE_S: Final = 0.05
# How long one that was called is waited for: its connection may be sending to a client that does not read.
CALL_TIMEOUT_S: Final = 0.05


class Tail(Protocol):
    """Who takes turns."""

    closed: bool

    @property
    def person(self) -> str:
        """Whose share it takes."""

    @property
    def waiting_since(self) -> float:
        """The loop time at which its frame could have been sent."""

    def call(self) -> None:
        """Take the turn that it waited for."""


@dataclass(slots=True)
class _Account:
    """Time of the loop that was taken, and is paid back at the rate of the share."""

    share: float
    at_once_s: float
    paid_at: float = 0.0

    @property
    def free_at(self) -> float:
        return self.paid_at - self.at_once_s / self.share

    def spend(self, now: float, seconds: float) -> None:
        self.paid_at = max(self.paid_at, now - seconds) + seconds / self.share


class TailShares:
    """Decides whose tail makes the next frame. People take turns, so that who has many tails in line is not
    before who has one, and of a person's tails the one goes first that waited longest.

    Nothing is kept of people who owe no time and have no tail in line.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._all = _Account(ALL_SHARE, ALL_AT_ONCE_S)
        self._people: dict[str, _Account] = {}
        # By person, first the one whose last turn is longest ago; the oldest tail first in each heap.
        self._lines: dict[str, list[tuple[float, int, Tail]]] = {}
        self._in_line: set[Tail] = set()
        self._arrivals = count()  # of two that wait equally long the first goes first
        self._called: Tail | None = None
        self._called_until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def may_go(self, tail: Tail) -> bool:
        """Whether a tail that is due may make its frame now. One that may not is in line and will be called;
        it asks again before it makes the frame, since its connection may come to it late.
        """
        if tail in self._in_line:
            return False
        now = self._loop.time()
        if self._free_at(tail.person) <= now and (tail is self._called or not self._is_awaited(now)):
            return True
        self._in_line.add(tail)
        heappush(self._lines.setdefault(tail.person, []), (tail.waiting_since, next(self._arrivals), tail))
        self._sleep()
        return False

    def spend(self, tail: Tail, seconds: float) -> None:
        """Count what a frame took of the loop."""
        now = self._loop.time()
        self._people = {person: account for person, account in self._people.items() if account.paid_at > now}
        own = self._people.setdefault(tail.person, _Account(PERSON_SHARE, PERSON_AT_ONCE_S))
        for account in (own, self._all):
            account.spend(now, seconds)
        if tail is self._called:
            self._called = None
        self._to_the_end(tail.person)
        self._sleep()

    def _free_at(self, person: str) -> float:
        own = self._people.get(person)
        return self._all.free_at if own is None else max(self._all.free_at, own.free_at)

    def _is_awaited(self, now: float) -> bool:
        """Whether the next turn is another's, who was called or is about to be."""
        if self._called is not None and now < self._called_until:
            return True
        return any(self._free_at(person) <= now for person in self._lines)

    def _sleep(self) -> None:
        """Until somebody in line may go."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines:
            moment = min(map(self._free_at, self._lines))
            if self._called is not None:
                moment = max(moment, self._called_until)
            self._timer = self._loop.call_at(moment, self._call_next)

    def _call_next(self) -> None:
        now = self._loop.time()
        self._called = None
        for person in [person for person in self._lines if self._free_at(person) <= now]:
            tail = self._first_of(person)
            if tail is not None:
                self._called, self._called_until = tail, now + CALL_TIMEOUT_S
                tail.call()
                break
        self._sleep()

    def _first_of(self, person: str) -> Tail | None:
        """A person's next tail, out of the line; the person goes behind all others, even if the tail should
        miss its turn. None: all have ended.
        """
        self._to_the_end(person)
        line = self._lines[person]
        found = None
        while line and found is None:
            *_, tail = heappop(line)
            self._in_line.discard(tail)
            found = None if tail.closed else tail
        if not line:
            del self._lines[person]
        return found

    def _to_the_end(self, person: str) -> None:
        line = self._lines.pop(person, None)
        if line is not None:
            self._lines[person] = line
