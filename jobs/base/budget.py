"""What one task may cost: work that is counted, and processor time."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, TypeVar

_WATCHED: Final = 1_000
_Value = TypeVar("_Value")


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
        """Count work; 0 only looks at the clock.

        Raises:
            OverBudget: it is more than is left.
        """
        self.afford(work)
        self.spent += work
        if self.seconds is not None and time.thread_time() - self.began > self.seconds:
            raise OverBudget(f"it takes more than {self.seconds:g} s of processor time")

    def afford(self, work: int) -> None:
        """Nothing, where so much work is left; it is not counted.

        Raises:
            OverBudget: it is more than is left.
        """
        if self.spent + work > self.work:
            raise OverBudget("it exceeds the work limit")


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def bounded(budget: Budget) -> Iterator[Budget]:
    """Work inside counts against this budget."""
    token = _CURRENT.set(budget)
    try:
        yield budget
    finally:
        _CURRENT.reset(token)


def is_bounded() -> bool:
    """Whether there is a budget around."""
    return _CURRENT.get() is not None


def spend(work: int) -> None:
    """Count work against the budget around, if there is one.

    Raises:
        OverBudget: it is more than is left.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.spend(work)


def afford(work: int) -> None:
    """Look, before memory is taken, whether the budget around has so much work left. It is counted by whoever
    has made what the memory is for.

    Raises:
        OverBudget: it has less.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.afford(work)


def watched(values: Iterable[_Value]) -> Iterator[_Value]:
    """The values, looking at the clock of the budget around every thousand of them.

    Raises:
        OverBudget: the time is over.
    """
    for at, value in enumerate(values, 1):
        if at % _WATCHED == 0:
            spend(0)
        yield value
