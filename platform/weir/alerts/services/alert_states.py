"""The states of an alert and what moves it through them: pure functions and plain objects, no database.

    none ─ condition holds ─▶ pending ─ held for `for` ─▶ firing ─ condition is over ─▶ resolved
                                 └─ condition ends ─▶ none (nothing is kept)

An observation says of one group that the condition holds, that it is over, or neither (a value between
threshold and recovery). An unknown value is no observation.
"""

from dataclasses import dataclass, field
from typing import Any, Final

PENDING: Final = "pending"
FIRING: Final = "firing"
RESOLVED: Final = "resolved"
DROPPED: Final = "dropped"  # was pending, and its condition ended

RECOVERED: Final = "The condition is over."
QUIET: Final = "No row met the condition any more."
GONE: Final = "What it was about is gone, or was stopped."
TURNED_OFF: Final = "The rule was turned off."
CHANGED: Final = "The rule was changed."


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one group.

    Attributes:
        met: the condition holds.
        over: the condition is over; neither: nothing changes.
        order: of the row, for windowed results; empty otherwise.
        value: what was measured; None: not a number.
        row: the result row; None: not about a row.
    """

    met: bool
    over: bool
    order: str = ""
    value: float | None = None
    row: dict[str, Any] | None = None


UNSEEN_US: Final = 30_000_000
"""A condition over a metric that was not seen for longer is not known to have held meanwhile."""
_KEPT_US: Final = 10_000_000  # between two writes of when the condition of a pending alert was last seen


def unstored_us(quiet_us: int) -> int:
    """For how long the last row that met the condition may be later than the stored one."""
    return quiet_us // 4


@dataclass(slots=True)
class OpenAlert:
    """An alert that is pending or firing, or has just ended. Times are µs since 1970."""

    id: str
    rule_id: str
    digest: str
    group: dict[str, Any]
    title: str
    since_us: int
    last_met_us: int
    job_id: str | None = None
    generation: int | None = None  # of the job, of an alert over its rows
    watch: str = ""  # digest of what its rule watched; empty: not known
    state: str = PENDING
    order: str = ""
    value: float | None = None
    row: dict[str, Any] | None = None
    fired_us: int | None = None
    resolved_us: int | None = None
    because: str = ""
    told: str = ""
    stored_state: str = ""  # as in the database; empty: not stored yet
    stored_since_us: int = 0  # as in the database, as are the next two
    stored_met_us: int = 0
    stored_order: str = ""
    path: list[str] = field(default_factory=list)  # states since it was stored

    def observe(self, seen: Observation, now_us: int, hold_us: int) -> bool:
        """Take in an observation; True when the state changed."""
        if seen.order < self.order:
            return False  # of an older window than the one that counts
        if seen.met:
            self.last_met_us = max(self.last_met_us, now_us)
            self.order = seen.order
            if self.state == PENDING:
                self.value, self.row = seen.value, seen.row
            return self.elapse(now_us, hold_us, None)
        if not seen.over and self.state != PENDING:
            return False
        self.order = seen.order
        return self.end(now_us, RECOVERED)

    def leave_out_unseen(self, now_us: int) -> None:
        """Its condition is met again: time in which nothing was known of it is none in which it held."""
        unseen_us = now_us - self.last_met_us
        if self.state == PENDING and unseen_us > UNSEEN_US:
            self.since_us += unseen_us

    def wait(self, us: int) -> None:
        """Time in which nothing could be known of it neither holds nor is quiet."""
        self.last_met_us += us
        if self.state == PENDING:
            self.since_us += us

    def elapse(self, now_us: int, hold_us: int, quiet_us: int | None) -> bool:
        """Let time pass; True when the state changed.

        Args:
            now_us: the present.
            hold_us: how long the condition has to hold before it fires.
            quiet_us: it is over when it was not met for so long; None: only an observation ends it.
        """
        if now_us < self.since_us:  # the clock was set back
            self.since_us = now_us
        self.last_met_us = min(self.last_met_us, now_us)
        if quiet_us is not None and now_us - self.last_met_us >= quiet_us and self.state in (PENDING, FIRING):
            return self.end(now_us, QUIET)
        if self.state == PENDING and now_us - self.since_us >= hold_us:
            self.fired_us = now_us
            self._become(FIRING)
            return True
        return False

    def end(self, now_us: int, because: str) -> bool:
        """The condition is over; True when the state changed."""
        if self.state == PENDING:
            self._become(DROPPED)
            return True
        if self.state != FIRING:
            return False
        self.resolved_us, self.because = now_us, because
        self._become(RESOLVED)
        return True

    def goes_on(self, before: "OpenAlert") -> None:
        """Take over what was seen since this alert was stored."""
        self.since_us = max(self.since_us, before.since_us)
        self.last_met_us = max(self.last_met_us, before.last_met_us)
        self.order = max(self.order, before.order)

    def is_behind(self, quiet_us: int | None, *, of_metric: bool = False) -> bool:
        """Whether the database should learn of later rows: of another window or, where the alert ends without
        any, of a good part of that time; of a metric, until when the condition is known to hold; and of the
        time that a pending one had to wait.
        """
        met_us = self.last_met_us - self.stored_met_us
        if of_metric:
            return self.state == PENDING and met_us >= _KEPT_US
        if self.state == PENDING and self.since_us - self.stored_since_us >= _KEPT_US:
            return True
        return self.order != self.stored_order or (quiet_us is not None and met_us >= unstored_us(quiet_us))

    @property
    def is_open(self) -> bool:
        """Pending or firing."""
        return self.state in (PENDING, FIRING)

    def _become(self, state: str) -> None:
        self.state = state
        self.path.append(state)
