"""Which of the JVM's events become lines of a run."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.engine.log_context import RunEpoch
from jobs.engine.spark_log import SparkLog, epoch_of


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("4f2c9b17a0de.3-12", RunEpoch("4f2c9b17a0de.3", 12)),
        ("4f2c9b17a0de.3-12-append", RunEpoch("4f2c9b17a0de.3", 12)),
        ("run-a-2-update", RunEpoch("run-a", 2)),
        ("play-7f", None),
        ("4f2c9b17a0de.3-12-other", None),
        ("", None),
    ],
)
def test_a_query_is_named_after_its_run_and_epoch(query: str, found: RunEpoch | None) -> None:
    assert epoch_of(query) == found


class Logs:
    def __init__(self) -> None:
        self.added: list[tuple[Any, ...]] = []

    def add(self, *line: Any) -> None:
        self.added.append(line)

    def left_out(self, run: RunEpoch, count: int) -> None:
        self.added.append((run, count))


def event(query: str, level: str = "WARN") -> dict[str, Any]:
    return {"query": query, "at": 5, "level": level, "logger": "o.a.S", "message": "m", "trace": "t"}


def test_only_lines_of_epochs_that_the_engine_executes_are_added() -> None:
    logs: Any = Logs()
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(_jvm=None))
    ours = RunEpoch("a.1", 2)
    log = SparkLog(session, logs, lambda run: run == ours)
    log.take(
        json.dumps(
            [
                event("a.1-2"),
                event("a.1-1"),  # an epoch before
                event("b.1-2"),
                event("no run"),
                event("a.1-2-append", "ERROR"),
                {"query": "a.1-2", "dropped": 7},
                {"query": "b.1-2", "dropped": 7},
            ]
        )
    )
    assert logs.added == [
        (ours, "warning", "spark", "o.a.S", "m", "t", 5_000),
        (ours, "error", "spark", "o.a.S", "m", "t", 5_000),
        (ours, 7),
    ]
    log.take("[]")
    assert len(logs.added) == 3
