"""Which run the present thread works for: every line that it writes to the log says so."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import structlog

from jobs.kafka_messages import DesiredRun

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunEpoch:
    """An epoch of a run."""

    run_id: str
    epoch: int


def about(run: DesiredRun) -> AbstractContextManager[None]:
    """In the block, lines of this thread are about the run."""
    context: AbstractContextManager[None] = structlog.contextvars.bound_contextvars(
        run=run.run_id, epoch=run.epoch, job=run.job_id, workspace=run.workspace
    )
    return context


def about_run(run: DesiredRun, call: Callable[P, T]) -> Callable[P, T]:
    """The function, called in the context of a run: for what other threads call, such as Spark's."""

    @wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        with about(run):
            return call(*args, **kwargs)

    return called


def present_run() -> RunEpoch | None:
    """What lines of this thread are about; None: no run."""
    context: dict[str, Any] = structlog.contextvars.get_contextvars()
    run_id, epoch = context.get("run"), context.get("epoch")
    return RunEpoch(run_id, epoch) if isinstance(run_id, str) and isinstance(epoch, int) else None
