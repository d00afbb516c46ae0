"""What the engine says: reports into `weir.reports`, keyed so that each run's and each engine's stay in order."""

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
from jobs.messages import REPORTS_TOPIC, EngineSettings, HeartbeatReport, ProcessHandle, RunBeat, RunReport

HEARTBEAT_SECONDS: Final = 2.0
DELIVER_SECONDS: Final = 20.0

log = logging.getLogger(__name__)


def now_us() -> int:
    """The engine's clock as an instant."""
    return time.time_ns() // 1000


class Reporter:
    """Sends reports; while the broker is away they wait in the client, up to five minutes."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._producer = Producer(
            {**librdkafka_options(settings.home), "linger.ms": 2, "log_level": 2, "queue.buffering.max.kbytes": 16_384}
        )
        self.reached = threading.Event()
        self.reached.set()

    def send(self, report: RunReport) -> None:
        """Say it; never blocks and never raises for a broker that is away."""
        try:
            self._produce(report, _delivered)
        except BufferError:
            log.warning("reports wait for the broker and the buffer is full: one of run %s is dropped", report.run_id)
        self._producer.poll(0)

    def deliver(self, report: RunReport, seconds: float = DELIVER_SECONDS) -> None:
        """Say it, and return once the broker has it.

        Raises:
            KafkaException: the broker did not take it in time.
        """
        answered, errors = threading.Event(), list[KafkaError]()

        def heard(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                errors.append(error)
            answered.set()

        try:
            self._produce(report, heard)
        except BufferError as error:
            raise KafkaException(KafkaError(KafkaError._QUEUE_FULL)) from error
        deadline = time.monotonic() + seconds
        while not answered.is_set() and time.monotonic() < deadline:
            self._producer.poll(0.05)
        if errors or not answered.is_set():
            raise KafkaException(errors[0] if errors else KafkaError(KafkaError._TIMED_OUT))

    def _produce(self, report: RunReport, heard: Callable[[KafkaError | None, Message], None]) -> None:
        self._producer.produce(REPORTS_TOPIC, key=report.run_id, value=report.model_dump_json().encode(), on_delivery=heard)

    def flush(self, seconds: float) -> None:
        """Give what was said this long to arrive."""
        self._producer.flush(seconds)


def _delivered(error: KafkaError | None, _message: Message) -> None:
    if error is not None:
        log.warning("a report was not delivered: %s", error.str())


class Heart:
    """Beats every two seconds, from before the session is there until the process ends.

    A heartbeat waits for nothing that works: it has a thread and a producer of its own, asks nothing of the JVM, and what it
    calls takes no lock.

    Args:
        settings: of the engine.
        runs: what it says of each run.
        slots_used: task slots that running runs hold.
    """

    def __init__(self, settings: EngineSettings, runs: Callable[[], dict[str, RunBeat]], slots_used: Callable[[], int]) -> None:
        self._settings = settings
        # One that could not be delivered in the time of a few is worth nothing.
        self._producer = Producer({**librdkafka_options(settings.home), "linger.ms": 0, "log_level": 2, "message.timeout.ms": 10_000})
        self._runs = runs
        self._slots_used = slots_used
        self._handle = process_handle()
        self._quiet = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="heart", daemon=True)
        self.ready = False
        self.stopping = False
        self.versions: dict[str, str] = {}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Beat once more and end."""
        self.stopping = True
        self._quiet.set()
        self._thread.join(5)
        self.beat()
        self._producer.flush(2)

    def beat(self) -> None:
        """One heartbeat, now."""
        at_us = now_us()  # before the states are read: a report of a state that changes meanwhile is the newer one
        report = HeartbeatReport(
            at_us=at_us,
            engine_id=self._settings.engine_id,
            incarnation=self._settings.incarnation,
            ready=self.ready,
            handle=self._handle,
            runs=self._runs(),
            slots=self._settings.slots,
            slots_used=self._slots_used(),
            memory_bytes=resident_bytes(self._handle.pid) + resident_bytes(os.getpid()),
            versions=self.versions,
            stopping=self.stopping,
        )
        try:
            self._producer.produce(REPORTS_TOPIC, key=report.engine_id, value=report.model_dump_json().encode())
        except BufferError:
            log.warning("the buffer of heartbeats is full: one is dropped")
        self._producer.poll(0)

    def _beat_on(self) -> None:
        while True:
            self.beat()
            if self._quiet.wait(HEARTBEAT_SECONDS):
                return


def process_handle() -> ProcessHandle:
    """The driver's JVM, which is our parent under spark-submit: the process that the platform started."""
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
