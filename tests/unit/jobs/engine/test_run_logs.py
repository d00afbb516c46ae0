"""Lines about a run are sent, bounded and without secrets; those of no run, or of another thread, are not."""

import logging
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.engine import run_logs
from jobs.engine.line_budget import BURST, PER_SECOND, LineBudget
from jobs.engine.log_context import RunEpoch, about, about_run
from jobs.engine.run_logs import OWN_LOGGER, RunLogHandler, RunLogs
from jobs.kafka_messages import MAX_LOG_DETAIL, MAX_LOG_MESSAGE, LogLine, LogReport
from tests.support.desired_runs import desired_run, engine_settings

HOME = ClusterProfile(cluster_id="home", bootstrap="nowhere:9092")
RUN = RunEpoch("a.1", 3)
log = logging.getLogger("jobs.of.this.test")


class Broker:
    """Stands for the client of Kafka; it is full on request."""

    def __init__(self) -> None:
        self.refusal: Exception | None = None
        self.reports: list[LogReport] = []

    def produce(self, topic: str, key: str, value: bytes) -> None:
        if self.refusal is not None:
            raise self.refusal
        assert len(value) < 1_000_000  # Kafka's limit of a record
        self.reports.append(LogReport.model_validate_json(value))

    def poll(self, _seconds: float) -> None:
        pass

    def flush(self, _seconds: float) -> None:
        pass

    @property
    def lines(self) -> list[LogLine]:
        return [line for report in self.reports for line in report.lines]


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    found = Broker()
    monkeypatch.setattr(run_logs, "Producer", lambda _options: found)
    return found


@pytest.fixture
def logs(broker: Broker, tmp_path: Any) -> RunLogs:
    return RunLogs(engine_settings(HOME, tmp_path))


@pytest.fixture
def handler(logs: RunLogs) -> Iterator[None]:
    handler = RunLogHandler(logs)
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    yield
    log.removeHandler(handler)


def test_a_line_is_of_the_run_that_its_thread_works_for(logs: RunLogs, broker: Broker, handler: None) -> None:
    log.warning("about no run")
    one = desired_run({}, run_id="a.1", epoch=3)
    other = desired_run({}, run_id="b.1", epoch=1)

    def work() -> None:
        log.info("a thread of nobody")

    with about(one):
        log.info("about %s", "one")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        about_run(other, lambda: log.error("about the other", exc_info=ValueError("why")))()
        log.debug("too fine")
        log.warning("about one again")
    log.warning("about no run again")
    logs.flush()
    found = {report.run_id: [line.message for line in report.lines] for report in broker.reports}
    assert found == {"a.1": ["about one", "about one again"], "b.1": ["about the other"]}
    assert {report.run_id: report.epoch for report in broker.reports} == {"a.1": 3, "b.1": 1}
    (error,) = (line for line in broker.lines if line.level == "error")
    assert error.detail.strip() == "ValueError: why"


def test_many_lines_are_counted_instead_of_sent(
    logs: RunLogs, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr(run_logs, "time", SimpleNamespace(monotonic=lambda: now_s))
    for number in range(BURST + 50):
        logs.add(RUN, "info", "engine", "x", f"line {number}")
    logs.flush()
    assert len(broker.lines) == BURST
    assert broker.lines[-1].message == f"line {BURST - 1}"
    now_s += 1 / PER_SECOND + 0.01
    logs.flush()
    assert broker.lines[-1].logger == OWN_LOGGER
    assert broker.lines[-1].message.startswith("50 lines were left out")
    assert [line.number for line in broker.lines] == list(range(1, BURST + 2))


def test_a_busy_run_takes_nothing_from_another(logs: RunLogs, broker: Broker) -> None:
    for _ in range(10 * BURST):
        logs.add(RUN, "info", "engine", "x", "busy")
    logs.add(RunEpoch("b.1", 1), "info", "engine", "x", "quiet")
    logs.flush()
    assert [line.message for line in broker.reports[-1].lines] == ["quiet"]


@pytest.mark.parametrize("refusal", [BufferError(), KafkaException(KafkaError(KafkaError._UNKNOWN_TOPIC))])
def test_lines_that_the_client_does_not_take_are_counted(
    logs: RunLogs, broker: Broker, refusal: Exception
) -> None:
    """The thread that sends goes on: it is that of all runs."""
    broker.refusal = refusal
    logs.add(RUN, "info", "engine", "x", "one")
    logs.add(RUN, "info", "engine", "x", "two")
    logs.flush()
    broker.refusal = None
    logs.flush()
    assert [line.message[:23] for line in broker.lines] == ["2 lines were left out: "]


def test_long_lines_are_shortened_and_reports_stay_below_the_limit_of_a_record(
    logs: RunLogs, broker: Broker
) -> None:
    for _ in range(40):
        logs.add(RUN, "error", "spark", "x", "\x01" * 5_000, "\N{PILE OF POO}\x01" * 50_000)
    logs.flush()
    assert len(broker.lines) == 40
    assert len(broker.reports) > 1
    for line in broker.lines:
        assert len(line.message) <= MAX_LOG_MESSAGE
        assert len(line.detail) <= MAX_LOG_DETAIL
        assert line.detail.endswith("… shortened from 100,000 characters")


@pytest.mark.parametrize(
    "text",
    [
        "sasl.jaas.config=planted",
        "org.apache.kafka…ScramLoginModule required username=x password=planted;",
        "postgres://weir:planted@host/weir",
        "token: planted",
    ],
)
def test_no_secret_is_sent(logs: RunLogs, broker: Broker, text: str) -> None:
    logs.add(RUN, "error", "spark", "x", f"failed: {text}", f"a\n{text}\nb")
    logs.flush()
    (line,) = broker.lines
    assert "planted" not in line.message + line.detail
    assert {"a", "b"} <= set(line.detail.splitlines())


def test_the_thread_sends_by_itself_and_ends(logs: RunLogs, broker: Broker) -> None:
    logs.start()
    logs.add(RUN, "info", "engine", "x", "first")
    logs.stop()
    logs.stop()
    assert [line.message for line in broker.lines] == ["first"]


def test_a_budget_fills_again_and_is_forgotten_only_when_full() -> None:
    budget = LineBudget(0.0)
    assert sum(budget.admit(0.0) for _ in range(BURST + 5)) == BURST
    assert budget.left_out == 5
    assert budget.take_left_out(0.0) == 0  # saying so is a line, too
    assert budget.take_left_out(1.0) == 5
    assert sum(budget.admit(1.0) for _ in range(20)) == PER_SECOND - 1
    assert not budget.forgettable(1_000.0)  # what was left out is not said yet
    assert budget.take_left_out(1_000.0) == 20 - (PER_SECOND - 1)
    assert budget.forgettable(1_000.0)
