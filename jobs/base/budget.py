"""A limit on what one task may cost: units of work, and processor time."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, TypeVar

_WATCHED: Final = 1_000
_Value = TypeVar("_Value")


class OverBudget(Exception):  # noqa: N818  (a limit, not a fault)
    """The task exceeds its budget of work or of processor time; the message says which."""


@dataclass
class Budget:
    """A limit on the work of one task.

    Attributes:
        work: maximum number of units of work; the code that spends it defines the unit.
        seconds: maximum processor time of this thread; None: unlimited.
        spent: units of work counted so far.
        began: processor time of the thread when the budget was created, in seconds.
    """

    work: int
    seconds: float | None = None
    spent: int = 0
    began: float = field(default_factory=time.thread_time)

    def spend(self, work: int) -> None:
        """Count work; 0 only checks the processor time.

        Raises:
            OverBudget: less work than this is left, or the processor time is used up.
        """
        self.afford(work)
        self.spent += work
        if self.seconds is not None and time.thread_time() - self.began > self.seconds:
            raise OverBudget(f"it takes more than {self.seconds:g} s of processor time")

    def afford(self, work: int) -> None:
        """Check that this much work is left, without counting it.

        Raises:
            OverBudget: less work than this is left.
        """
        if self.spent + work > self.work:
            raise OverBudget("it exceeds the work limit")


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def bounded(budget: Budget) -> Iterator[Budget]:
    """Make this the current budget of the code inside the context."""
    token = _CURRENT.set(budget)
    try:
        yield budget
    finally:
        _CURRENT.reset(token)


def is_bounded() -> bool:
    """True when there is a current budget."""
    return _CURRENT.get() is not None


def spend(work: int) -> None:
    """Count work against the current budget, if there is one.

    Raises:
        OverBudget: less work than this is left, or the processor time is used up.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.spend(work)


def afford(work: int) -> None:
    """Check, before memory is allocated, that the current budget, if there is one, has this much work left.
    It is not counted: the code that uses the memory counts it afterwards.

    Raises:
        OverBudget: less work than this is left.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.afford(work)


def watched(values: Iterable[_Value]) -> Iterator[_Value]:
    """Yield the values, and check the processor time of the current budget after every thousand.

    Raises:
        OverBudget: the processor time is used up.
    """
    for at, value in enumerate(values, 1):
        if at % _WATCHED == 0:
            spend(0)
        yield value
