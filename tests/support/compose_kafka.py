"""Kafka as in docker-compose.yml, without containers: its settings and first start, with Weir's jars."""

import subprocess
import uuid
from pathlib import Path

from tests.support.compose_file import compose_file, resolved
from tests.support.kafka_topics import answers
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars, jars


class ComposeKafka:
    """The broker with its user `weir`.

    Args:
        folder: new.
        password: of the user.
    """

    def __init__(self, folder: Path, password: str) -> None:
        install_jars()
        self.port, controller = free_ports(2)
        self._folder, self._password = folder, password
        moved = {
            "SECURED://:9092": f"SECURED://127.0.0.1:{self.port}",
            "SECURED://kafka:9092": f"SECURED://127.0.0.1:{self.port}",
            "localhost:9093": f"127.0.0.1:{controller}",
            "/var/lib/kafka/data": str(folder / "data"),
            "/etc/weir/server.properties": str(folder / "kafka-server"),
            "/opt/kafka/libs/*": f"{jars('kafka')}/*",
        }
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("kafka-server", "kafka-format"):
            text = resolved(compose_file()["configs"][name]["content"], {"KAFKA_PASSWORD": password})
            for there, here in moved.items():
                text = text.replace(there, here)
            (folder / name).write_text(text)
        classes = ["java", "-Xmx384m", "-cp", f"{jars('kafka')}/*"]
        self._process = ServerProcess(
            [*classes, "kafka.Kafka", str(folder / "kafka-server")], folder / "kafka.log"
        )

    def start(self) -> None:
        """Format the storage, as a first start does, and wait until the broker answers."""
        command = ["java", f"@{self._folder / 'kafka-format'}", "--cluster-id", uuid.uuid4().hex[:22]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self._process.start()
        log = self._process.log  # its folder goes with the test
        wait_until(
            lambda: answers(self.options(), 3), 120, "Kafka answers", lambda: log.read_text("utf-8")[-4000:]
        )

    def stop(self) -> None:
        """SIGTERM."""
        self._process.stop()

    def options(self, password: str | None = None) -> dict[str, str]:
        """Options of a client, with the right password or another one."""
        return {
            "bootstrap.servers": f"127.0.0.1:{self.port}",
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "weir",
            "sasl.password": password or self._password,
            "log_level": "0",
        }
