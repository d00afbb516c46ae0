"""The processes of the embedded system: what runs, in which order, with which environment."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from weir.embedded.kafka_access import MECHANISM, SECURITY, USER, KafkaAccess
from weir.embedded.kafka_node import KafkaNode
from weir.embedded.layout import Layout
from weir.embedded.leftovers import mark
from weir.embedded.valkey_node import ValkeyNode

BROKERS = ("kafka", "valkey")
SERVICES = ("web", "worker", "beat", "relay")


@dataclass(frozen=True)
class Program:
    """A process under the supervisor.

    Attributes:
        name: in the supervisor and of its log file.
        command: what to run, in the foreground.
        order: lower ones are ended later.
        port: what it listens on, if anything.
        stop_seconds: after SIGTERM, before SIGKILL.
    """

    name: str
    command: list[str]
    order: int
    port: int | None = None
    stop_seconds: int = 10


def kafka_node(layout: Layout) -> KafkaNode:
    """The embedded broker."""
    folder = layout.data / "kafka"
    access = KafkaAccess(folder, layout.kafka_secured_port, is_open=layout.kafka_open)
    return KafkaNode(folder, layout.kafka_port, layout.kafka_controller_port, archive=folder / "classes.jsa", access=access)


def valkey_node(layout: Layout) -> ValkeyNode:
    """The embedded Valkey."""
    return ValkeyNode(layout.data / "valkey", layout.valkey_port)


def programs(layout: Layout, development: bool = False) -> list[Program]:
    """All processes but the engines, which the platform itself starts and watches.

    Args:
        layout: folders and ports.
        development: start the Python processes anew when a source file changes.
    """
    python = sys.executable
    celery = [python, "-m", "celery", "-A", "weir.project.celery"]
    web = [python, "-m", "uvicorn", "weir.project.asgi:application", "--host", "127.0.0.1", "--port", str(layout.web_port)]
    web += ["--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3", "--ws-max-size", "65536"]
    web += ["--no-proxy-headers"]  # uvicorn believes X-Forwarded-For of anything on loopback; WEIR_NUM_PROXIES says what we believe
    worker = [*celery, "worker", "-Q", f"celery,{_host_queue()}", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    beat = [*celery, "beat", "--loglevel", "WARNING", "--schedule", str(layout.data / "beat")]
    relay = [python, str(layout.repository / "manage.py"), "relay"]
    if development:
        web += ["--reload", "--reload-dir", str(layout.repository / "platform"), "--reload-dir", str(layout.repository / "jobs")]
        worker, relay = _reloading(layout, worker), _reloading(layout, relay)
    found = [
        Program("web", web, 500, layout.web_port),
        Program("worker", worker, 700, stop_seconds=15),
        Program("beat", beat, 800),
        Program("relay", relay, 600),
    ]
    if embeds_kafka():
        found.append(Program("kafka", kafka_node(layout).command(), 100, layout.kafka_secured_port, stop_seconds=20))
    if embeds_valkey():
        found.append(Program("valkey", valkey_node(layout).command(), 200, layout.valkey_port))
    return found + feeds(layout)


def feeds(layout: Layout) -> list[Program]:
    """The programs that feed the examples, as each example says."""
    found = []
    for file in sorted((layout.repository / "examples").glob("*/feed.yaml")):
        feed = yaml.safe_load(file.read_text(encoding="utf-8"))
        command = [sys.executable, "-m", feed["module"], "--bootstrap", bootstrap(layout), *feed["arguments"]]
        found.append(Program(f"feed-{file.parent.name}", command, 900))
    return found


def environment(layout: Layout) -> dict[str, str]:
    """What all processes get beside the environment of `make run`; that one's own word goes first."""
    own = {
        "WEIR_DATA_DIR": str(layout.data),
        "WEIR_WEB_PORT": str(layout.web_port),
        "KAFKA_BOOTSTRAP_SERVERS": bootstrap(layout),
        **(_kafka_user(layout) if embeds_kafka() else {}),
        "WEIR_WARM_ENGINE": "true",
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
    }
    if embeds_valkey():
        own["REDIS_URL"] = valkey_node(layout).url
    own = {name: os.environ.get(name, value) for name, value in own.items()}
    roots = os.pathsep.join([str(layout.repository / "platform"), str(layout.repository)])
    return own | {"PYTHONPATH": roots, "PYTHONUNBUFFERED": "1", "PYSPARK_PYTHON": sys.executable} | mark(layout.data)


def bootstrap(layout: Layout) -> str:
    """Kafka's bootstrap servers for who has the user: the embedded node, or what the environment says."""
    return os.environ.get("KAFKA_BOOTSTRAP_SERVERS", f"127.0.0.1:{layout.kafka_secured_port}")


def embeds_kafka() -> bool:
    """False when the environment names a Kafka of its own."""
    return "KAFKA_BOOTSTRAP_SERVERS" not in os.environ


def embeds_valkey() -> bool:
    """False when the environment names a Redis or Valkey of its own."""
    return "REDIS_URL" not in os.environ


def _kafka_user(layout: Layout) -> dict[str, str]:
    access = kafka_node(layout).access
    return {
        "KAFKA_SECURITY": SECURITY,
        "KAFKA_MECHANISM": MECHANISM,
        "KAFKA_USERNAME": USER,
        "KAFKA_PASSWORD_FILE": str(access.password_file) if access else "",
        "KAFKA_OPEN_BOOTSTRAP_SERVERS": kafka_node(layout).bootstrap if layout.kafka_open else "",
    }


def _host_queue() -> str:
    return os.environ.get("WEIR_HOST_QUEUE", f"engines.{os.uname().nodename}")


def _reloading(layout: Layout, command: list[str]) -> list[str]:
    watch = shutil.which("watchfiles", path=str(Path(sys.executable).parent)) or "watchfiles"
    return [watch, "--filter", "python", " ".join(command), str(layout.repository / "platform"), str(layout.repository / "jobs")]
