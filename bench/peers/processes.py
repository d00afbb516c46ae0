"""Starting and ending the peers."""

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from weir.embedded.jars import JVM, install_jars, jars
from weir.embedded.layout import REPOSITORY

BIN = REPOSITORY / ".venv" / "bin"
PEERS = Path(__file__).parent


@dataclass
class Peer:
    """A peer's process, in a group of its own, so that what it forks ends with it."""

    name: str
    command: list[str]
    log: Path
    settings: list[str]  # for the report: how it was run
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it; it does not wait for results."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=_environment(),
            )

    @property
    def pid(self) -> int:
        """Of the running process."""
        assert self._process is not None
        return self._process.pid

    def go_on(self) -> None:
        """Start it, or let it go on where `pause` has stopped it."""
        if self._process is None:
            self.start()
        else:
            os.killpg(self._process.pid, signal.SIGCONT)

    def pause(self) -> None:
        """Have it stand still, and what it forked; one that has ended, or is not started, does anyway."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGSTOP)

    def check(self) -> None:
        """Fail when it ended by itself.

        Raises:
            RuntimeError: with the end of its log.
        """
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError(f"{self.name} ended: {self.log.read_text(errors='replace')[-3000:]}")

    def stop(self) -> None:
        """SIGKILL to the process group: a peer's shutdown is not measured."""
        if self._process is None:
            return
        subprocess.run(
            ["kill", "-KILL", "--", f"-{self._process.pid}"], check=False, stderr=subprocess.DEVNULL
        )
        self._process.wait(20)
        self._process = None


def _submit(
    options: list[str], script: str, bootstrap: str, source: str, target: str, folder: Path
) -> list[str]:
    """The command line of a tutorial's job, up to its checkpoint; makes the folder that holds it."""
    folder.mkdir(parents=True)
    local = ",".join(str(jar) for jar in sorted(jars("spark").glob("*.jar")))
    submit = [str(BIN / "spark-submit"), *options, "--jars", local, str(PEERS / script)]
    return [*submit, bootstrap, source, target, str(folder / "checkpoint")]


def tutorial(bootstrap: str, source: str, target: str, folder: Path, partitions: int, trigger: str) -> Peer:
    """The PySpark job as tutorials write it, under spark-submit.

    Args:
        bootstrap: servers.
        source: input topic.
        target: output topic.
        folder: new for every start: holds checkpoint and log.
        partitions: of its state.
        trigger: its processing time, such as ``0 seconds``.
    """
    options = ["--master", "local[*]", "--conf", f"spark.sql.shuffle.partitions={partitions}"]
    command = _submit(options, "tutorial_windowed_count.py", bootstrap, source, target, folder)
    command.append(trigger)
    shown = [
        "spark-submit",
        *options,
        "--jars <the Kafka connector, local>",
        "output mode update",
        f"trigger processingTime={trigger}",
    ]
    return Peer("stock micro-batch", command, folder / "log", shown)


def tutorial_drain(
    bootstrap: str, source: str, target: str, folder: Path, partitions: int, batch: int
) -> Peer:
    """The tutorial's tumbling count over events of six fields, from the beginning of its topic.

    Args:
        bootstrap: servers.
        source: input topic.
        target: output topic.
        folder: new for every start: holds checkpoint and log.
        partitions: of its state.
        batch: records of a micro-batch at most.
    """
    options = ["--master", "local[*]", "--driver-memory", "2g"]
    options += ["--conf", f"spark.sql.shuffle.partitions={partitions}"]
    command = _submit(options, "tutorial_drain.py", bootstrap, source, target, folder)
    command.append(str(batch))
    shown = ["spark-submit", *options, "output mode update", f"maxOffsetsPerTrigger={batch}"]
    return Peer("the tutorial's PySpark", command, folder / "log", shown)


def _streams(program: str, options: list[str], arguments: list[str], folder: Path, shown: list[str]) -> Peer:
    """A program of Kafka Streams 4.3, compiled with javac.

    Args:
        program: its class.
        options: of the JVM.
        arguments: of its command line.
        folder: new for every start: holds classes, state and log.
        shown: its settings, for the report.
    """
    install_jars(sets=("streams",))
    classes = folder / "classes"
    classes.mkdir(parents=True)
    path = f"{JVM / 'lib' / 'streams'}/*"
    subprocess.run(["javac", "-cp", path, "-d", str(classes), str(PEERS / f"{program}.java")], check=True)
    command = ["java", *options, "-cp", f"{classes}:{path}", program, *arguments]
    return Peer("Kafka Streams", command, folder / "log", ["Kafka Streams 4.3.1", *options, *shown])


def streams_drain(bootstrap: str, source: str, target: str, folder: Path, threads: int, group: str) -> Peer:
    """Kafka Streams with a tumbling count, tuned to drain a backlog.

    Args:
        bootstrap: servers.
        source: input topic.
        target: output topic.
        folder: new for every start: holds classes, state and log.
        threads: stream threads.
        group: its application id, which is its consumer group.
    """
    arguments = [bootstrap, source, target, str(folder / "state"), str(threads), group]
    shown = [
        f"{threads} stream threads", "streaming parser, each record once",
        "RocksDB window store with changelog", "record cache 128 MiB", "linger.ms 50", "batch.size 262144",
        "lz4", "max.poll.records 5000", "max.partition.fetch.bytes 8 MiB", "at least once",
        "commit.interval.ms 5000",
    ]  # fmt: skip
    return _streams("StreamsDrain", ["-Xmx1g", "-XX:+UseSerialGC"], arguments, folder, shown)


def streams_latency(bootstrap: str, source: str, table: str, target: str, folder: Path, threads: int) -> Peer:
    """Kafka Streams tuned for latency: a windowed count, or a join with a table.

    Args:
        bootstrap: servers.
        source: topic of events.
        table: topic of the table; empty: it counts.
        target: output topic.
        folder: new for every start: holds classes, state and log.
        threads: stream threads.
    """
    kind = "join" if table else "count"
    arguments = [bootstrap, source, table, target, str(folder / "state"), str(threads), kind]
    shown = [
        f"{threads} stream threads", "streaming parser, each record once", "record cache 0", "linger.ms 0",
        "fetch.max.wait.ms 20", "poll.ms 5", "state in memory with changelog", "at least once",
        "commit.interval.ms 30000", "acks all",
    ]  # fmt: skip
    return _streams("StreamsLatency", ["-Xmx512m", "-XX:+UseSerialGC"], arguments, folder, shown)


def streams_state(
    bootstrap: str, source: str, other: str, target: str, folder: Path, threads: int, group: str, kind: str
) -> Peer:
    """Kafka Streams with one operator, tuned for throughput.

    Args:
        bootstrap: servers.
        source: topic of events.
        other: topic of the table, or of the stream that is joined.
        target: output topic.
        folder: new for every start: holds classes, state and log.
        threads: stream threads.
        group: its application id, which is its consumer group.
        kind: what it does, as the program's head says.
    """
    arguments = [bootstrap, source, other, target, str(folder / "state"), str(threads), group, kind]
    shown = [
        f"{threads} stream threads", "streaming parser, each record once", "compact values",
        "RocksDB stores with changelog", "record cache 128 MiB", "linger.ms 50", "batch.size 262144", "lz4",
        "max.poll.records 5000", "max.partition.fetch.bytes 8 MiB", "at least once",
        "commit.interval.ms 1000",
    ]  # fmt: skip
    return _streams("StreamsState", ["-Xmx1g", "-XX:+UseSerialGC"], arguments, folder, shown)


def _environment() -> dict[str, str]:
    """The environment, with PySpark's interpreter first on the path, where spark-submit looks for it."""
    return {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYSPARK_PYTHON": str(BIN / "python"),
    }
