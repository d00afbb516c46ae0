"""Sends the lines of the engine's log that are about one run to `weir.reports`, bounded per run.

A line is only sent when it is sure which run it is about: the thread that wrote it says so (`log_context`),
or the JVM does (`spark_log`).
"""

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from typing import Final, Literal

from confluent_kafka import KafkaException, Producer

from jobs.base.log_lines import hide_secrets
from jobs.connections import librdkafka_options
from jobs.engine.failures import without_secrets
from jobs.engine.line_budget import BURST, PER_SECOND, LineBudget
from jobs.engine.log_context import RunEpoch, present_run
from jobs.engine.reporter import now_us
from jobs.kafka_messages import (
    MAX_LOG_DETAIL,
    MAX_LOG_MESSAGE,
    REPORTS_TOPIC,
    EngineSettings,
    LogLevel,
    LogLine,
    LogReport,
)

GATHER_S: Final = 0.2  # lines that come soon after each other travel together
MAX_WAITING: Final = 2 * BURST  # lines of a run that wait for the broker
MAX_REPORT_CHARACTERS: Final = 150_000  # six bytes each at most, in JSON
OWN_LOGGER: Final = "weir.log"


class RunLogs:
    """Keeps lines until they are sent, by a thread that sleeps while there are none.

    Lines have a producer of their own: those of a broken job must not displace reports while the broker is
    away.

    Args:
        settings: of the engine.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._producer: Producer | None = None  # made with the first line
        self._lock = threading.Lock()
        self._number = 0
        self._budgets: dict[RunEpoch, LineBudget] = {}
        self._waiting: dict[RunEpoch, deque[LogLine]] = {}
        self._pending = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._send_on, name="run logs", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Send what waits, and end."""
        self._stopped.set()
        self._pending.set()
        self._thread.join(5)
        self.flush()
        if self._producer is not None:
            self._producer.flush(2)

    def add(
        self,
        run: RunEpoch,
        level: LogLevel,
        origin: Literal["engine", "spark"],
        logger: str,
        message: str,
        detail: str = "",
        at_us: int | None = None,
    ) -> None:
        """Add a line about a run; returns at once. Lines beyond the run's budget are counted only.

        Args:
            run: what it is about.
            level: of the line.
            origin: what wrote it.
            logger: who wrote it there.
            message: of any length; it is shortened, and secrets are hidden.
            detail: an error with its stack, likewise.
            at_us: when it was written; None: now.
        """
        with self._lock:
            if not self._budget(run).admit(time.monotonic()):
                self._pending.set()
                return
        clean = _clean(message, MAX_LOG_MESSAGE), _clean(detail, MAX_LOG_DETAIL)
        with self._lock:
            self._append(run, level, origin, logger, *clean, at_us or now_us())
        self._pending.set()

    def left_out(self, run: RunEpoch, count: int) -> None:
        """Count lines about a run that were dropped before they came here."""
        with self._lock:
            budget = self._budget(run)
            budget.left_out += count
            budget.used_at = time.monotonic()
        self._pending.set()

    def flush(self) -> None:
        """Hand what waits to the Kafka client."""
        with self._lock:
            self._say_left_out(time.monotonic())
            waiting, self._waiting = self._waiting, {}
        for run, lines in waiting.items():
            for part in _parts(lines):
                if not self._send(run, part):
                    with self._lock:
                        self._budget(run).left_out += len(part)

    def _budget(self, run: RunEpoch) -> LineBudget:
        if run not in self._budgets:
            self._budgets[run] = LineBudget(time.monotonic())
        return self._budgets[run]

    def _append(
        self,
        run: RunEpoch,
        level: LogLevel,
        origin: Literal["engine", "spark"],
        logger: str,
        message: str,
        detail: str,
        at_us: int,
    ) -> None:
        self._number += 1
        line = LogLine(
            number=self._number,
            at_us=at_us,
            level=level,
            origin=origin,
            logger=logger,
            message=message,
            detail=detail,
        )
        lines = self._waiting.setdefault(run, deque())
        lines.append(line)
        if len(lines) > MAX_WAITING:
            lines.popleft()
            self._budget(run).left_out += 1

    def _say_left_out(self, now: float) -> None:
        for run, budget in list(self._budgets.items()):
            count = budget.take_left_out(now)
            if count:
                lines = "1 line was" if count == 1 else f"{count:,} lines were"
                text = f"{lines} left out: a run shows {BURST} at once, and then {PER_SECOND:g} a second."
                self._append(run, "warning", "engine", OWN_LOGGER, text, "", now_us())
            elif budget.forgettable(now):
                del self._budgets[run]

    def _owes(self) -> bool:
        with self._lock:
            return any(budget.left_out for budget in self._budgets.values())

    def _send_on(self) -> None:
        while not self._stopped.is_set():
            self._pending.wait(1.0 if self._owes() else None)
            self._stopped.wait(GATHER_S)
            self._pending.clear()
            self.flush()

    def _send(self, run: RunEpoch, lines: tuple[LogLine, ...]) -> bool:
        """False when the client does not take it, because the broker or the topic is away."""
        if self._producer is None:
            options = {"linger.ms": 5, "log_level": 2, "queue.buffering.max.kbytes": 4_096}
            self._producer = Producer({**librdkafka_options(self._settings.home), **options})
        report = LogReport(
            at_us=now_us(),
            engine_id=self._settings.engine_id,
            incarnation=self._settings.incarnation,
            run_id=run.run_id,
            epoch=run.epoch,
            lines=lines,
        )
        try:
            self._producer.produce(REPORTS_TOPIC, key=run.run_id, value=report.model_dump_json().encode())
        except (BufferError, KafkaException):
            return False
        finally:
            self._producer.poll(0)
        return True


class RunLogHandler(logging.Handler):
    """Adds the lines that a thread writes while it works for a run."""

    def __init__(self, logs: RunLogs) -> None:
        super().__init__(logging.INFO)
        self._logs = logs

    def emit(self, record: logging.LogRecord) -> None:
        """Add the line, if it is about a run."""
        run = present_run()
        if run is None:
            return
        detail = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        level: LogLevel = (
            "error"
            if record.levelno >= logging.ERROR
            else "warning"
            if record.levelno >= logging.WARNING
            else "info"
        )
        self._logs.add(run, level, "engine", record.name, record.getMessage(), detail)


def _clean(text: str, most: int) -> str:
    kept = "\n".join(map(hide_secrets, without_secrets(text[: most * 2]).splitlines()))
    if len(kept) <= most and len(text) <= most * 2:
        return kept
    note = f"… shortened from {len(text):,} characters"
    return kept[: most - len(note)] + note


def _parts(lines: deque[LogLine]) -> Iterator[tuple[LogLine, ...]]:
    """The lines in reports of bounded size."""
    part: list[LogLine] = []
    size = 0
    for line in lines:
        length = len(line.message) + len(line.detail)
        if part and size + length > MAX_REPORT_CHARACTERS:
            yield tuple(part)
            part, size = [], 0
        part.append(line)
        size += length
    if part:
        yield tuple(part)
