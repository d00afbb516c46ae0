"""For engine tests: topics, desired runs, an engine process, its reports and its results."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import (
    ANSWERS_TOPIC,
    ASKS_TOPIC,
    REPORT,
    REPORTS_TOPIC,
    RUNS_TOPIC,
    BoundSource,
    DesiredRun,
    HeartbeatReport,
    Report,
    RunMode,
    RunStateReport,
    StartPosition,
)
from jobs.run_states import ENDED
from tests.support.cds_archive import record_classes, share_class_data
from tests.support.desired_runs import desired_run, engine_settings
from tests.support.java_options import QUICK_ENGINES
from tests.support.kafka_node import KafkaServer
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until

PLANTED = "planted-password"  # in the environment of the process that starts an engine
ROOT = Path(__file__).resolve().parents[2]
Record = tuple[int, dict[str, Any] | bytes | None]  # Kafka timestamp in µs, value

# No topic to warm up with: an engine of tests is to be ready soon, and a cold query is no harder than what a
# test asks of it. Warm-up is tested in tests/integration/embedded.
SYSTEM_TOPICS = {
    RUNS_TOPIC: {"cleanup.policy": "compact"},
    REPORTS_TOPIC: {},
    ASKS_TOPIC: {},
    ANSWERS_TOPIC: {},
}


@dataclass(frozen=True)
class Bench:
    """Helpers over one broker."""

    kafka: KafkaServer
    folder: Path

    @property
    def home(self) -> ClusterProfile:
        return ClusterProfile(cluster_id="home", bootstrap=self.kafka.bootstrap)

    def topic(self, prefix: str, partitions: int = 1, configuration: dict[str, str] | None = None) -> str:
        name = f"{prefix}.{uuid.uuid4().hex[:8]}"
        self.kafka.create_topic(
            name, partitions, {"retention.ms": "-1", **(configuration or {})}
        )  # records of a script carry old times
        return name

    def run(
        self,
        document: dict[str, Any],
        topics: dict[str, tuple[str, StreamContract]],
        /,
        mode: RunMode = "microbatch",
        start: StartPosition | None = None,
        **more: Any,
    ) -> DesiredRun:
        """A desired run over these sources (name → topic, contract); streams are named as in the document."""
        run_id = more.pop("run_id", f"run-{uuid.uuid4().hex[:8]}")
        sources = {
            name: BoundSource(
                stream=document["sources"][name].get("stream") or document["sources"][name]["table"],
                cluster=self.home,
                topic=topic,
                topic_id=self.kafka.topic_id(topic),
                partitions=more.get("partitions", 1),
                contract=contract,
                start=start or StartPosition(kind="earliest"),
            )
            for name, (topic, contract) in topics.items()
        }
        more.pop("partitions", None)
        values: dict[str, Any] = {
            "run_id": run_id,
            "job_id": run_id,
            "document": document,
            "mode": mode,
            "checkpoint": str(self.folder / "checkpoints" / run_id),
            "result_topic": more.pop("result_topic", None) or self.topic("weir.results"),
            "commit_interval_ms": 4_000,
            "trigger_ms": 20,
            **more,
        }
        return desired_run(sources, **values)

    def dead_letter_topic(self) -> dict[str, str]:
        """A new topic for a validator's dead letters, as the fields of a desired run."""
        topic = self.topic("weir.dead")
        return {"result_topic": topic, "result_topic_id": self.kafka.topic_id(topic)}

    def produce(
        self,
        topic: str,
        records: list[Record],
        headers: list[list[tuple[str, bytes]]] | None = None,
        partition: int = 0,
        keys: list[bytes | None] | None = None,
    ) -> None:
        """Write records so that one fetch sees all or none of them."""
        producer = Producer(
            {"bootstrap.servers": self.kafka.bootstrap, "linger.ms": 100, "message.max.bytes": 10_000_000}
        )
        refused: list[KafkaError] = []  # such as a time that the broker takes for the future
        for at, (time_us, value) in enumerate(records):
            body = json.dumps(value).encode() if isinstance(value, dict) else value
            producer.produce(
                topic,
                value=body,
                key=keys[at] if keys else None,
                partition=partition,
                timestamp=time_us // 1000,
                headers=headers[at] if headers else None,
                on_delivery=lambda error, _: refused.append(error) if error is not None else None,
            )
        assert producer.flush(20) == 0
        assert not refused, refused[0]

    def publish(self, run: DesiredRun | str) -> None:
        """Put a run into `weir.runs`; a run id alone is a tombstone."""
        producer = Producer({"bootstrap.servers": self.kafka.bootstrap})
        key, value = (run, None) if isinstance(run, str) else (run.run_id, run.model_dump_json().encode())
        producer.produce(RUNS_TOPIC, key=key, value=value)
        assert producer.flush(20) == 0

    def reader(self, topic: str, partitions: int = 1) -> "TopicReader":
        return TopicReader(self.kafka.bootstrap, topic, partitions)

    def results(self, run: DesiredRun, partitions: int = 1) -> "Results":
        return Results(self.reader(run.result_topic, partitions))


@dataclass(frozen=True)
class Seen:
    """A record that was read."""

    key: str
    value: bytes | None
    headers: dict[str, str]
    partition: int
    offset: int


class TopicReader:
    """Reads a topic from its beginning, on and on."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "tests",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 20,
                "auto.offset.reset": "earliest",
            }
        )
        self._partitions = [TopicPartition(topic, partition, 0) for partition in range(partitions)]
        self._consumer.assign(self._partitions)
        self._next = dict.fromkeys(range(partitions), 0)

    def new(self, seconds: float = 0.2) -> Iterator[Seen]:
        """What came, waiting this long for the first."""
        message = self._consumer.poll(seconds)
        while message is not None:
            if message.error() is None:
                self._next[message.partition()] = message.offset() + 1
                headers = {name: value.decode() for name, value in message.headers() or []}
                yield Seen(
                    (message.key() or b"").decode(),
                    message.value(),
                    headers,
                    message.partition(),
                    message.offset(),
                )
            message = self._consumer.poll(0)

    def to_end(self) -> list[Seen]:
        """Everything up to the ends of this moment."""
        deadline = time.monotonic() + 30 * PATIENCE
        ends = {each.partition: self._end(each, deadline) for each in self._partitions}
        found: list[Seen] = []
        while any(self._next[p] < end for p, end in ends.items()):
            assert time.monotonic() < deadline, "the topic cannot be read to its end"
            found += self.new()
        return found

    def _end(self, partition: TopicPartition, deadline: float) -> int:
        """The end of a partition; one that was just made may have no leader yet."""
        while True:
            try:
                return self._consumer.get_watermark_offsets(partition, timeout=10)[1]
            except KafkaException as error:
                fresh = error.args[0].code() in (
                    KafkaError.NOT_LEADER_FOR_PARTITION,
                    KafkaError._UNKNOWN_PARTITION,
                )
                if not fresh or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        self._consumer.close()


class Results:
    """Content of a result topic: the last row per identity, tombstoned ones absent."""

    def __init__(self, reader: TopicReader) -> None:
        self._reader = reader
        self.records: list[Seen] = []
        self.content: dict[str, dict[str, Any]] = {}

    def read(self) -> dict[str, dict[str, Any]]:
        """The content of this moment."""
        for seen in self._reader.to_end():
            self.records.append(seen)
            self.content.pop(seen.key, None)
            if seen.value is not None:
                self.content[seen.key] = json.loads(seen.value)
        return self.content

    def close(self) -> None:
        self._reader.close()


class EngineProcess:
    """An engine process, started as by the platform."""

    def __init__(
        self, bench: Bench, engine_id: str, master: str = "local", slots: int = 24, secret: str = ""
    ) -> None:
        self.engine_id = engine_id
        self._bench, self._master, self._slots, self._secret = bench, master, slots, secret
        self.begin()

    def begin(self) -> None:
        """Start it, as a new incarnation where it had ended."""
        self.incarnation = uuid.uuid4().hex[:8]
        folder = self._bench.folder / "engine"
        share_class_data(folder)
        self._settings = engine_settings(
            self._bench.home,
            folder,
            engine_id=self.engine_id,
            incarnation=self.incarnation,
            master=self._master,
            slots=self._slots,
            master_secret_file=self._secret,
        )
        self.log = folder / f"{self.engine_id}-{self.incarnation}.log"
        path = folder / f"{self.engine_id}.json"
        path.write_text(self._settings.model_dump_json())
        self._output = self.log.open("wb")
        command = [sys.executable, "-m", "jobs.engine.submit", str(path)]
        variables = os.environ | QUICK_ENGINES | {"DATABASE_URL": f"postgres://weir:{PLANTED}@nowhere/weir"}
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=variables,
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL to the driver's JVM alone."""
        self._process.kill()
        self._process.wait(20)
        self._output.close()

    def stop(self) -> int:
        """SIGTERM, as the platform ends it; returns the exit status."""
        if self._process.poll() is None:
            record_classes(self._settings, self.pid)
            os.kill(self._process.pid, signal.SIGTERM)
        try:
            return self._process.wait(240)
        finally:
            self._output.close()

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]


class Reports:
    """Follows `weir.reports`."""

    def __init__(self, bench: Bench) -> None:
        self._reader = bench.reader(REPORTS_TOPIC)
        self.all: list[Report] = []

    def pump(self) -> None:
        self.all += [REPORT.validate_json(seen.value) for seen in self._reader.new() if seen.value]

    def wait(
        self,
        what: str,
        found: Callable[[Report], bool],
        seconds: float = 90,
        engine: EngineProcess | None = None,
    ) -> Report:
        """The first report, old or new, for which the condition holds."""
        checked = 0

        def check_new() -> Report | None:
            nonlocal checked
            self.pump()
            fresh, checked = self.all[checked:], len(self.all)
            return next((report for report in fresh if found(report)), None)

        hit: list[Report] = []

        def done() -> bool:
            report = check_new()
            if report is not None:
                hit.append(report)
            return bool(hit)

        wait_until(done, seconds, what, engine.tail if engine else lambda: f"{len(self.all)} other reports")
        return hit[0]

    def ready(self, engine: EngineProcess) -> HeartbeatReport:
        report = self.wait(
            "the engine is ready",
            lambda r: isinstance(r, HeartbeatReport) and r.incarnation == engine.incarnation and r.ready,
            240,
            engine,
        )
        assert isinstance(report, HeartbeatReport)
        return report

    def idle(self, engine: EngineProcess) -> HeartbeatReport:
        """Wait until the engine is ready and the runs that earlier tests have removed have ended, too."""
        began = time.time_ns() // 1_000
        self.ready(engine)
        report = self.wait(
            "the engine has no run",
            lambda r: (
                isinstance(r, HeartbeatReport)
                and (r.incarnation, r.ready) == (engine.incarnation, True)
                and r.at_us > began
                and all(run.state in ENDED for run in r.runs.values())
            ),
            120,
            engine,
        )
        assert isinstance(report, HeartbeatReport)
        return report

    def state(
        self, run: DesiredRun, state: str, seconds: float = 90, engine: EngineProcess | None = None
    ) -> RunStateReport:
        report = self.wait(
            f"run {run.run_id} epoch {run.epoch} is {state}",
            lambda r: (
                isinstance(r, RunStateReport)
                and (r.run_id, r.epoch, r.state) == (run.run_id, run.epoch, state)
            ),
            seconds,
            engine,
        )
        assert isinstance(report, RunStateReport)
        return report

    def close(self) -> None:
        self._reader.close()
