"""Kafka as in docker-compose.yml, without containers: its settings and first start, with Weir's jars."""

import re
import subprocess
import uuid
from collections.abc import Iterator

import pytest
import yaml
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.support.kafka_topics import create_topic
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars, jars
from weir.embedded.layout import REPOSITORY

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

PASSWORD = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where the broker listens."""
    install_jars()
    folder = tmp_path_factory.mktemp("compose")
    listening, controller = free_ports(2)
    moved = {
        "SECURED://:9092": f"SECURED://127.0.0.1:{listening}",
        "SECURED://kafka:9092": f"SECURED://127.0.0.1:{listening}",
        "localhost:9093": f"127.0.0.1:{controller}",
        "/var/lib/kafka/data": str(folder / "data"),
        "/etc/weir/server.properties": str(folder / "kafka-server"),
        "/opt/kafka/libs/*": f"{jars('kafka')}/*",
    }
    configs = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())["configs"]
    for name in ("kafka-server", "kafka-format"):
        text = re.sub(r"\$\{KAFKA_PASSWORD(:\?[^}]*)?\}", PASSWORD, configs[name]["content"])
        for there, here in moved.items():
            text = text.replace(there, here)
        (folder / name).write_text(text)
    command = ["java", f"@{folder / 'kafka-format'}", "--cluster-id", uuid.uuid4().hex[:22]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    server = ServerProcess(
        ["java", "-Xmx384m", "-cp", f"{jars('kafka')}/*", "kafka.Kafka", str(folder / "kafka-server")],
        folder / "kafka.log",
    )
    server.start()
    try:
        wait_until(lambda: answers(options(listening)), 120, f"Kafka answers; see {server.log}")
        yield listening
    finally:
        server.stop()


def options(port: int, password: str = PASSWORD) -> dict[str, str]:
    return {
        "bootstrap.servers": f"127.0.0.1:{port}", "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "weir", "sasl.password": password, "log_level": "0",
    }  # fmt: skip


def answers(client: dict[str, str]) -> bool:
    try:
        AdminClient(dict(client)).list_topics(timeout=3)
    except KafkaException:
        return False
    return True


def test_weir_may_do_all(port: int) -> None:
    create_topic(options(port), "weir.runs")
    create_topic(options(port), "orders")


def test_nobody_else_is_let_in(port: int) -> None:
    assert not answers({"bootstrap.servers": f"127.0.0.1:{port}", "log_level": "0"})
    assert not answers(options(port, "wrong"))
