"""An engine on an external master serves once an executor is there."""

from types import SimpleNamespace
from typing import Any, cast

from jobs.engine.executors import await_executor


def session_with(*executors: int) -> Any:
    """A session that says so many executors, one answer after another; the driver is counted, too."""
    answers = iter(executors)
    status = SimpleNamespace(size=lambda: next(answers) + 1)
    context = SimpleNamespace(
        _jsc=SimpleNamespace(sc=lambda: SimpleNamespace(getExecutorMemoryStatus=lambda: status))
    )
    return cast(Any, SimpleNamespace(sparkContext=context))


def test_it_waits_for_the_first() -> None:
    assert await_executor(session_with(0, 0, 1), lambda: False)


def test_it_serves_without_one_in_the_end() -> None:
    assert not await_executor(session_with(0, 0, 0), lambda: False, wait_s=0.1)


def test_who_stops_waits_for_none() -> None:
    assert not await_executor(session_with(), lambda: True)
