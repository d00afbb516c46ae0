"""Sends the engine's reports to `weir.reports`, keyed so that those of each run, and of each engine, stay in
order.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from jobs.connections import librdkafka_options
from jobs.engine.processor_load import ProcessorLoad
from jobs.kafka_messages import (
    REPORTS_TOPIC,
    EngineSettings,
    HeartbeatReport,
    ProcessHandle,
    RunHeartbeat,
    RunReport,
)
from jobs.run_states import HEARTBEAT_INTERVAL_S

DELIVERY_TIMEOUT_S: Final = 20.0
# Of the failures in a heartbeat together: the Kafka client refuses a message of more than 1 MB. The report of
# a run's state has the whole text.
MAX_RAW_CHARACTERS: Final = 100_000

log = logging.getLogger(__name__)


def now_us() -> int:
    """The present by the engine's clock, in µs."""
    return time.time_ns() // 1000


class Reporter:
    """Sends reports; while the broker is unreachable they wait in the client, up to five minutes."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._producer = Producer(
            {
                **librdkafka_options(settings.home),
                "linger.ms": 2,
                "max.in.flight": 1,  # else a report that is sent again comes after a later one
                "log_level": 2,
                "queue.buffering.max.kbytes": 16_384,
            }
        )
        self.reached = threading.Event()
        self.reached.set()

    def send(self, report: RunReport) -> None:
        """Send a report; neither blocks nor raises when the broker is unreachable. What the client refuses,
        because it is too long, is dropped.
        """
        try:
            self._produce(report, _on_delivery)
        except BufferError:
            log.warning("the buffer of reports is full: one of run %s is dropped", report.run_id)
        except KafkaException as error:
            log.warning("a report of run %s is dropped: %s", report.run_id, error.args[0].str())
        self._producer.poll(0)

    def deliver(self, report: RunReport, seconds: float = DELIVERY_TIMEOUT_S) -> None:
        """Send a report, and return once the broker has stored it.

        Raises:
            KafkaException: the broker did not acknowledge it in time.
        """
        done, errors = threading.Event(), list[KafkaError]()

        def on_delivery(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                errors.append(error)
            done.set()

        try:
            self._produce(report, on_delivery)
        except BufferError as error:
            raise KafkaException(KafkaError(KafkaError._QUEUE_FULL)) from error
        deadline = time.monotonic() + seconds
        while not done.is_set() and time.monotonic() < deadline:
            self._producer.poll(0.05)
        if errors or not done.is_set():
            raise KafkaException(errors[0] if errors else KafkaError(KafkaError._TIMED_OUT))

    def _produce(self, report: RunReport, on_delivery: Callable[[KafkaError | None, Message], None]) -> None:
        self._producer.produce(
            REPORTS_TOPIC, key=report.run_id, value=report.model_dump_json().encode(), on_delivery=on_delivery
        )

    def flush(self, seconds: float) -> None:
        """Wait up to this long for the delivery of what was sent."""
        self._producer.flush(seconds)


def _on_delivery(error: KafkaError | None, _message: Message) -> None:
    if error is not None:
        log.warning("a report was not delivered: %s", error.str())


class HeartbeatLoop:
    """Sends a heartbeat every two seconds, from before the session exists until the process ends.

    A heartbeat never waits for work in progress: it has its own thread and producer, makes no JVM calls, and
    what it calls takes no lock.

    Args:
        settings: of the engine.
        runs: returns the heartbeat of each run.
        slots_used: returns the task slots that running runs hold.
    """

    def __init__(
        self,
        settings: EngineSettings,
        runs: Callable[[], dict[str, RunHeartbeat]],
        slots_used: Callable[[], int],
    ) -> None:
        self._settings = settings
        # A heartbeat that can't be delivered within a few intervals is useless.
        self._producer = Producer(
            {
                **librdkafka_options(settings.home),
                "linger.ms": 0,
                "log_level": 2,
                "message.timeout.ms": 10_000,
            }
        )
        self._runs = runs
        self._slots_used = slots_used
        self._handle = process_handle()
        self.processor_load = ProcessorLoad((self._handle.pid, os.getpid()))
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="heartbeat", daemon=True)
        self.ready = self.plays_ready = False
        self.stopping = False
        self.versions: dict[str, str] = {}

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Send a last heartbeat and end."""
        self.stopping = True
        self._stopped.set()
        self._thread.join(5)
        self.send()
        self._producer.flush(2)

    def send(self) -> None:
        """Send one heartbeat now; what the client refuses, as while the topic is gone, is dropped."""
        # Before states are read, so that the report of a state that changes meanwhile is newer.
        at_us = now_us()
        load = self.processor_load.load()
        report = HeartbeatReport(
            at_us=at_us,
            engine_id=self._settings.engine_id,
            incarnation=self._settings.incarnation,
            ready=self.ready,
            plays_ready=self.plays_ready,
            handle=self._handle,
            runs=_with_short_failures(self._runs()),
            slots=self._settings.slots,
            slots_used=self._slots_used(),
            memory_bytes=resident_bytes(self._handle.pid) + resident_bytes(os.getpid()),
            cpu_cores=round(load.engine, 3) if load else None,
            host_cpu_cores=round(load.engine + load.others, 3) if load else None,
            host_cores=load.cores if load else 0,
            versions=self.versions,
            stopping=self.stopping,
        )
        try:
            self._producer.produce(
                REPORTS_TOPIC, key=report.engine_id, value=report.model_dump_json().encode()
            )
        except (BufferError, KafkaException) as error:
            log.warning("a heartbeat is dropped: %s", error)
        self._producer.poll(0)

    def _loop(self) -> None:
        while True:
            self.processor_load.sample(time.monotonic())
            self.send()
            if self._stopped.wait(HEARTBEAT_INTERVAL_S):
                return


def _with_short_failures(runs: dict[str, RunHeartbeat]) -> dict[str, RunHeartbeat]:
    """The runs, with the original texts of their failures shortened where they are too long together."""
    failures = {run_id: run.failure for run_id, run in runs.items() if run.failure is not None}
    most = MAX_RAW_CHARACTERS // max(len(failures), 1)
    shortened = {
        run_id: runs[run_id].model_copy(
            update={"failure": failure.model_copy(update={"raw": failure.raw[:most]})}
        )
        for run_id, failure in failures.items()
        if len(failure.raw) > most
    }
    return {**runs, **shortened}


def process_handle() -> ProcessHandle:
    """Handle of our parent, the driver's JVM under spark-submit: the process that the platform started."""
    pid = os.getppid()
    started = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ProcessHandle(host=socket.gethostname(), pid=pid, started_ticks=started, boot_id=boot)


def resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 when it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
