"""The processes of the embedded system: commands, stop order and environment."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from weir.embedded.host_queue import VARIABLE, host_queue
from weir.embedded.kafka_access import MECHANISM, SECURITY, USER, KafkaAccess
from weir.embedded.kafka_classes import archive_path
from weir.embedded.kafka_node import KafkaNode
from weir.embedded.layout import Layout
from weir.embedded.orphan_processes import label
from weir.embedded.standby_choice import standby_choice
from weir.embedded.valkey_node import ValkeyNode

BROKERS = ("kafka", "valkey")
_PASSWORDS: Final = ("REDIS_URL", "DATABASE_URL", "RESULTS_DATABASE_URL")  # may hold them
# Begin the names of what Weir's settings and engines read, or are such names.
_SETTINGS: Final = ("WEIR_", "KAFKA_", "SPARK_", "CHECKPOINT_URL", "EMAIL_URL", *_PASSWORDS)
DEMO = "demo"
SERVICES = ("web", "worker", "beat", "relay")


@dataclass(frozen=True)
class Program:
    """A process under the supervisor.

    Attributes:
        name: in the supervisor, and of its log file.
        command: runs in the foreground.
        order: programs with lower numbers are stopped later.
        port: the port it listens on, if any.
        stop_seconds: from SIGTERM to SIGKILL.
        withheld: variables that it starts without a value, because they hold passwords that it does not need.
        forked: from a process that has loaded the platform, where there is one; the command runs a Python
            module.
        once: it does something and ends.
    """

    name: str
    command: list[str]
    order: int
    port: int | None = None
    stop_seconds: int = 10
    withheld: tuple[str, ...] = ()
    forked: bool = False
    once: bool = False


def kafka_node(layout: Layout) -> KafkaNode:
    """The embedded broker."""
    folder = layout.data / "kafka"
    access = KafkaAccess(folder, layout.kafka_secured_port, is_open=layout.kafka_open)
    archive = archive_path(layout.data)
    return KafkaNode(folder, layout.kafka_port, layout.kafka_controller_port, archive=archive, access=access)


def valkey_node(layout: Layout) -> ValkeyNode:
    """The embedded Valkey."""
    return ValkeyNode(layout.data / "valkey", layout.valkey_port)


def programs(layout: Layout, development: bool = False) -> list[Program]:
    """All processes except engines, which the platform itself starts and supervises.

    Args:
        layout: folders and ports.
        development: restart the Python processes when a source file changes.
    """
    celery = [sys.executable, "-m", "celery", "-A"]
    web = _reloading_web(layout) if development else _web(layout)
    worker = [*celery, "weir.project.celery", "worker", "-Q", f"celery,{host_queue(layout)}"]
    worker += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    beat = [*celery, "weir.project.beat", "beat", "--loglevel", "WARNING"]
    beat += ["--schedule", str(layout.data / "beat")]
    relay = [sys.executable, "-m", "django", "relay"]
    demo = [sys.executable, "-m", "weir.embedded.demo", str(layout.demo_progress)]
    forked = not development  # what was loaded once would not change with its source
    if development:
        worker, relay = _reloading(layout, worker), _reloading(layout, relay)
    found = [
        Program("web", web, 500, layout.web_port, forked=forked),
        Program("worker", worker, 700, stop_seconds=15, forked=forked),
        Program("beat", beat, 800, forked=forked),
        Program("relay", relay, 600, forked=forked),
        Program(DEMO, demo, 900, forked=forked, once=True),
    ]
    if embeds_kafka():
        found.append(
            Program(
                "kafka",
                kafka_node(layout).command(),
                100,
                layout.kafka_secured_port,
                stop_seconds=20,
                withheld=_PASSWORDS,
            )
        )
    if embeds_valkey():
        valkey = valkey_node(layout).command()
        found.append(Program("valkey", valkey, 200, layout.valkey_port, withheld=_PASSWORDS))
    return found + feeds(layout)


def feeds(layout: Layout) -> list[Program]:
    """The feeds of the examples, from each example's `feed.yaml`."""
    found = []
    for file in sorted((layout.repository / "examples").glob("*/feed.yaml")):
        feed = yaml.safe_load(file.read_text(encoding="utf-8"))
        command = [sys.executable, "-m", feed["module"], "--bootstrap", bootstrap(layout), *feed["arguments"]]
        found.append(Program(f"feed-{file.parent.name}", command, 900, withheld=_PASSWORDS))
    return found


def environment(layout: Layout) -> dict[str, str]:
    """The environment of all processes, with all settings of `make run`'s own, which take precedence: other
    shells reach the system by it (`saved_environment`).
    """
    defaults = {
        "WEIR_DATA_DIR": str(layout.data),
        "WEIR_WEB_PORT": str(layout.web_port),
        "KAFKA_BOOTSTRAP_SERVERS": bootstrap(layout),
        **(_kafka_user(layout) if embeds_kafka() else {}),
        "WEIR_WARM_ENGINE": "true",
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
    }
    if embeds_valkey():
        defaults["REDIS_URL"] = valkey_node(layout).url
    given = {
        name: value
        for name, value in os.environ.items()
        if name in defaults or (name.startswith(_SETTINGS) and "\n" not in value)
    }
    roots = os.pathsep.join([str(layout.repository / "platform"), str(layout.repository)])
    return (
        defaults
        | given
        | {"PYTHONPATH": roots, "PYTHONUNBUFFERED": "1", "PYSPARK_PYTHON": sys.executable}
        | {"WEIR_STANDBY": str(standby_choice().keeps).lower(), VARIABLE: host_queue(layout)}
        | label(layout.data)
    )


def bootstrap(layout: Layout) -> str:
    """Kafka's bootstrap servers for clients with a user: the environment's, or the embedded node."""
    return os.environ.get("KAFKA_BOOTSTRAP_SERVERS", f"127.0.0.1:{layout.kafka_secured_port}")


def embeds_kafka() -> bool:
    """False when the environment has an external Kafka."""
    return "KAFKA_BOOTSTRAP_SERVERS" not in os.environ


def embeds_valkey() -> bool:
    """False when the environment has an external Redis or Valkey."""
    return "REDIS_URL" not in os.environ


def _web(layout: Layout) -> list[str]:
    command = [sys.executable, "-m", "gunicorn", "-c", "python:weir.project.web_server"]
    return [*command, "--bind", f"127.0.0.1:{layout.web_port}", "--graceful-timeout", "4"]


def _reloading_web(layout: Layout) -> list[str]:
    # A parent that has loaded the application would go on with what it has loaded.
    command = [sys.executable, "-m", "uvicorn", "weir.project.asgi:application", "--reload"]
    command += [part for folder in _source_folders(layout) for part in ("--reload-dir", folder)]
    command += ["--host", "127.0.0.1", "--port", str(layout.web_port), "--no-proxy-headers"]
    command += ["--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3"]
    return [*command, "--ws-max-size", "131072"]  # weir.project.web_server.MAX_MESSAGE


def _kafka_user(layout: Layout) -> dict[str, str]:
    access = kafka_node(layout).access
    return {
        "KAFKA_SECURITY": SECURITY,
        "KAFKA_MECHANISM": MECHANISM,
        "KAFKA_USERNAME": USER,
        "KAFKA_PASSWORD_FILE": str(access.password_file) if access else "",
        "KAFKA_OPEN_BOOTSTRAP_SERVERS": kafka_node(layout).bootstrap if layout.kafka_open else "",
    }


def _reloading(layout: Layout, command: list[str]) -> list[str]:
    watch = shutil.which("watchfiles", path=str(Path(sys.executable).parent)) or "watchfiles"
    return [watch, "--filter", "python", shlex.join(command), *_source_folders(layout)]


def _source_folders(layout: Layout) -> list[str]:
    return [str(layout.repository / name) for name in ("platform", "jobs")]
