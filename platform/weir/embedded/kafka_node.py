"""One Kafka node (KRaft, broker and controller in one) from the jars of `jvm/lib/kafka`, on loopback.

No Django here, so that tests start the very broker that people get.
"""

import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.embedded.jars import jars
from weir.embedded.kafka_access import MECHANISM, USER, KafkaAccess
from weir.embedded.private_files import write_private

_LOGGING = """\
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %m (%c{1})%n
logger.started.name = kafka.server.KafkaRaftServer
logger.started.level = INFO
"""


@dataclass(frozen=True)
class KafkaNode:
    """A node's place and ports.

    Attributes:
        folder: its data, settings and nothing else.
        port: where clients connect that have no user.
        controller_port: where its controller listens; nobody else connects there.
        heap_mb: the JVM's greatest heap, MiB.
        archive: class-data archive; loaded when it exists, else written when the broker ends. None: neither.
        access: its user, and where that one connects. None: it has none, and whoever connects may do all.
    """

    folder: Path
    port: int
    controller_port: int
    heap_mb: int = 512
    archive: Path | None = None
    access: KafkaAccess | None = None

    @property
    def bootstrap(self) -> str:
        """Bootstrap servers for clients that have no user."""
        return f"127.0.0.1:{self.port}"

    @property
    def properties_file(self) -> Path:
        """The broker's settings, as written by `prepare`."""
        return self.folder / "server.properties"

    @property
    def formatted(self) -> bool:
        """True when the storage was set up, by this or an earlier start."""
        return (self.folder / "data" / "meta.properties").exists()

    def properties(self) -> dict[str, str]:
        """The broker's settings: loopback only, one replica of everything, small internal topics. They may hold passwords."""
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self.controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "log.dirs": str(self.folder / "data"),
            "auto.create.topics.enable": "false",
            "num.partitions": "2",
            "default.replication.factor": "1",
            "min.insync.replicas": "1",
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "4",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "transaction.state.log.num.partitions": "2",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "share.coordinator.state.topic.num.partitions": "2",
            # After a kill the newcomer has to wait until the session of the killed one is over: 9 s by default.
            "broker.session.timeout.ms": "4000",
            "broker.heartbeat.interval.ms": "1000",
            "group.initial.rebalance.delay.ms": "0",
            "num.network.threads": "2",
            "num.io.threads": "4",
            "num.recovery.threads.per.data.dir": "2",
            # Two buffers of the cleaner are allocated at once; 128 MiB of a 512 MiB heap would go unused.
            "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
            "log.cleaner.io.buffer.size": str(256 * 1024),
            **(self.access.properties(self.port, self.controller_port) if self.access else {}),
        }

    def prepare(self, java: str = "java") -> None:
        """Write settings; format the storage when the folder is new.

        Args:
            java: the java command.

        Raises:
            RuntimeError: the storage could not be formatted; holds what the tool said.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.access is not None:
            self.access.prepare()
        write_private(self.properties_file, "".join(f"{key}={value}\n" for key, value in self.properties().items()))
        (self.folder / "log4j2.properties").write_text(_LOGGING)
        if self.formatted:
            return
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        # An id may begin with "-", which the tool would read as an option.
        arguments = ["format", "--standalone", f"--cluster-id={cluster}", "--config", str(self.properties_file)]
        if self.access is not None:
            arguments += ["--add-scram", f"{MECHANISM}=[name={USER},password={self.access.password_file.read_text()}]"]
        # A file of arguments, because everybody on the machine may read those of a process.
        file = self.folder / "format.arguments"
        write_private(file, "".join(f"{_quoted(part)}\n" for part in [*self._java(java, 128, "kafka.tools.StorageTool")[1:], *arguments]))
        try:
            done = subprocess.run([java, f"@{file}"], capture_output=True, text=True, check=False)
        finally:
            file.unlink()
        if done.returncode != 0:
            raise RuntimeError(f"Kafka's storage couldn't be formatted in {self.folder}:\n{done.stdout}{done.stderr}")

    def command(self, java: str = "java") -> list[str]:
        """The command that runs the broker in the foreground; SIGTERM ends it."""
        return [*self._java(java, self.heap_mb, "kafka.Kafka", self._sharing()), str(self.properties_file)]

    def _sharing(self) -> list[str]:
        if self.archive is None:
            return []
        quiet = ["-Xlog:cds=off", "-Xlog:cds+dynamic=off"]  # an archive that does not fit is ignored, not a worry
        return [f"-XX:{'SharedArchiveFile' if self.archive.exists() else 'ArchiveClassesAtExit'}={self.archive}", *quiet]

    def _java(self, java: str, heap_mb: int, main_class: str, more: Sequence[str] = ()) -> list[str]:
        return [
            java,
            *more,
            f"-Xmx{heap_mb}m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # the optimising compiler costs a start half of its CPU, and two cores have no time for it
            "-XX:+ExitOnOutOfMemoryError",
            "-Djava.awt.headless=true",
            f"-Dlog4j2.configurationFile={self.folder / 'log4j2.properties'}",
            "-cp",
            f"{jars('kafka')}/*",
            main_class,
        ]


def _quoted(part: str) -> str:
    """One argument in a file of arguments of the java command."""
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'
