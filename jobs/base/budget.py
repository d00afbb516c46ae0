"""What one task may cost: work that is counted, and processor time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


class OverBudget(Exception):  # noqa: N818  (a limit, not a fault)
    """More was to be done, or took longer, than is allowed; the message says which."""


@dataclass
class Budget:
    """A bound on the work of one task.

    Attributes:
        work: at most, in units of whoever spends it.
        seconds: of processor time of this thread; None: as long as it takes.
    """

    work: int
    seconds: float | None = None
    spent: int = 0
    began: float = field(default_factory=time.thread_time)

    def spend(self, work: int) -> None:
        """Count work.

        Raises:
            OverBudget: it is more than is left.
        """
        self.spent += work
        if self.spent > self.work:
            raise OverBudget("it exceeds the work limit")
        if self.seconds is not None and time.thread_time() - self.began > self.seconds:
            raise OverBudget(f"it takes more than {self.seconds:g} s of processor time")


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def bounded(budget: Budget) -> Iterator[Budget]:
    """Work inside counts against this budget."""
    token = _CURRENT.set(budget)
    try:
        yield budget
    finally:
        _CURRENT.reset(token)


def spend(work: int) -> None:
    """Count work against the budget around, if there is one.

    Raises:
        OverBudget: it is more than is left.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.spend(work)
