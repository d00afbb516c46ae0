"""One Kafka node (KRaft, combined broker and controller) from the jars of `jvm/lib/kafka`, on loopback.

Imports no Django, so that tests can start the same broker.
"""

import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weir.embedded.jars import jars
from weir.embedded.kafka_access import MECHANISM, USER, KafkaAccess
from weir.embedded.private_files import write_private

_BROKER: Final = "kafka.Kafka"
_NO_WARNINGS: Final = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
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
    """A node's folder, ports and access.

    Attributes:
        folder: its data and settings, and nothing else.
        port: for clients without a user.
        controller_port: of the controller, for the node itself.
        heap_mb: the JVM's maximum heap, MiB.
        archive: class-data archive; loaded when it exists, else the broker lists its classes for
            `kafka_classes`. None: neither.
        access: Weir's user and its listener. None: no authentication or authorization.
    """

    folder: Path
    port: int
    controller_port: int
    heap_mb: int = 512
    archive: Path | None = None
    access: KafkaAccess | None = None

    @property
    def bootstrap(self) -> str:
        """Bootstrap servers for clients without a user."""
        return f"127.0.0.1:{self.port}"

    @property
    def properties_file(self) -> Path:
        """The broker's settings, written by `prepare`."""
        return self.folder / "server.properties"

    @property
    def class_list(self) -> Path:
        """The classes that a broker without an archive has loaded so far."""
        return self.folder / "classes.list"

    @property
    def class_path(self) -> str:
        """The JVM's class path."""
        return f"{jars('kafka')}/*"

    @property
    def formatted(self) -> bool:
        """True when the storage was formatted, by this or an earlier start."""
        return (self.folder / "data" / "meta.properties").exists()

    def properties(self) -> dict[str, str]:
        """The broker's settings: loopback only, one replica, small internal topics; may contain passwords."""
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}"
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self.controller_port}",
            "listeners": listeners,
            "advertised.listeners": listeners,
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
            # A restarted broker waits for the killed one's session to expire: 9 s by default.
            "broker.session.timeout.ms": "4000",
            "broker.heartbeat.interval.ms": "1000",
            "group.initial.rebalance.delay.ms": "0",
            # By default an idle controller writes, and syncs, a record without content twice a second.
            "metadata.max.idle.interval.ms": "10000",
            "num.network.threads": "2",
            "num.io.threads": "4",
            "num.recovery.threads.per.data.dir": "2",
            # The cleaner allocates two buffers at once; the default (128 MiB) would go unused.
            "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
            "log.cleaner.io.buffer.size": str(256 * 1024),
            **(self.access.properties(self.port, self.controller_port) if self.access else {}),
        }

    def prepare(self, java: str = "java") -> None:
        """Write the settings; format the storage when the folder is new.

        Args:
            java: the java command.

        Raises:
            RuntimeError: the storage could not be formatted; the message has the tool's output.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.access is not None:
            self.access.prepare()
        write_private(
            self.properties_file, "".join(f"{key}={value}\n" for key, value in self.properties().items())
        )
        (self.folder / "log4j2.properties").write_text(_LOGGING)
        if not self.formatted:
            self._format(java)

    def _format(self, java: str) -> None:
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        # "=", because an ID may begin with "-", which would be read as an option.
        arguments = [
            "format",
            "--standalone",
            f"--cluster-id={cluster}",
            "--config",
            str(self.properties_file),
        ]
        if self.access is not None:
            password = self.access.password_file.read_text()
            arguments += ["--add-scram", f"{MECHANISM}=[name={USER},password={password}]"]
        # Other users can read a process's arguments, so they are passed in a private file.
        file = self.folder / "format.arguments"
        parts = [*self._java(java, 128, "kafka.tools.StorageTool")[1:], *arguments]
        write_private(file, "".join(f"{_quoted(part)}\n" for part in parts))
        try:
            done = subprocess.run([java, f"@{file}"], capture_output=True, text=True, check=False)
        finally:
            file.unlink()
        if done.returncode != 0:
            raise RuntimeError(
                f"Kafka's storage couldn't be formatted in {self.folder}:\n{done.stdout}{done.stderr}"
            )

    def command(self, java: str = "java") -> list[str]:
        """The command that runs the broker in the foreground; SIGTERM stops it."""
        return [*self._java(java, self.heap_mb, _BROKER, self._sharing()), str(self.properties_file)]

    def _sharing(self) -> list[str]:
        if self.archive is None:
            return []
        if not self.archive.exists():
            return [f"-XX:DumpLoadedClassList={self.class_list}"]
        # The JVM ignores an archive that does not fit; its warning about it is switched off.
        return [f"-XX:SharedArchiveFile={self.archive}", *_NO_WARNINGS]

    def _java(self, java: str, heap_mb: int, main_class: str, more: Sequence[str] = ()) -> list[str]:
        return [
            java,
            *more,
            f"-Xmx{heap_mb}m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # the optimising compiler would take half of the CPU of a start
            "-XX:+ExitOnOutOfMemoryError",
            f"-XX:ErrorFile={self.folder / 'jvm-crash.log'}",
            "-Djava.awt.headless=true",
            f"-Dlog4j2.configurationFile={self.folder / 'log4j2.properties'}",
            "-cp",
            self.class_path,
            main_class,
        ]


def _quoted(part: str) -> str:
    """An argument, quoted for an argument file of the java command."""
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'
