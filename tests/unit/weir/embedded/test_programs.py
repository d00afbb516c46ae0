"""Settings of Kafka and of the host in the environment of the embedded system's processes."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from weir.embedded.layout import read_layout
from weir.embedded.programs import environment, programs
from weir.embedded.saved_environment import save

USER = ("KAFKA_SECURITY", "KAFKA_MECHANISM", "KAFKA_USERNAME", "KAFKA_PASSWORD_FILE")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEIR_HOST_QUEUE", "KAFKA_BOOTSTRAP_SERVERS", "KAFKA_OPEN_BOOTSTRAP_SERVERS", *USER):
        monkeypatch.delenv(name, raising=False)


def variables(tmp_path: Path, **more: str) -> dict[str, str]:
    return environment(read_layout({"WEIR_DATA_DIR": str(tmp_path), **more}))


def test_they_have_the_user_of_the_embedded_broker(tmp_path: Path) -> None:
    found = variables(tmp_path)
    assert found["KAFKA_BOOTSTRAP_SERVERS"] == "127.0.0.1:19094"
    assert found["KAFKA_OPEN_BOOTSTRAP_SERVERS"] == "127.0.0.1:19092"
    file = str(tmp_path / "kafka" / "password")
    assert [found[name] for name in USER] == ["SASL_PLAINTEXT", "SCRAM-SHA-512", "weir", file]


def test_without_an_open_listener_its_address_is_empty(tmp_path: Path) -> None:
    assert variables(tmp_path, WEIR_KAFKA_OPEN="false")["KAFKA_OPEN_BOOTSTRAP_SERVERS"] == ""


def test_an_external_kafka_has_its_own_user_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "kafka.example:9092")
    found = variables(tmp_path)
    assert found["KAFKA_BOOTSTRAP_SERVERS"] == "kafka.example:9092"
    assert not set(USER) & set(found)


def test_feeds_use_the_listener_for_the_user(tmp_path: Path) -> None:
    found = programs(read_layout({"WEIR_DATA_DIR": str(tmp_path)}))
    feeds = [program for program in found if program.name.startswith("feed-")]
    assert feeds
    assert {program.command[program.command.index("--bootstrap") + 1] for program in feeds} == {
        "127.0.0.1:19094"
    }


def test_what_is_restarted_with_its_source_is_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/my clone/.venv/bin/python")
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path)})
    plain, watched = (
        {program.name: program.command for program in programs(layout, development)}
        for development in (False, True)
    )
    assert shlex.split(watched["worker"][3]) == plain["worker"]
    assert shlex.split(watched["relay"][3]) == plain["relay"]


def rename_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", name, "6", "1", "x86_64")))


def worker_queue(tmp_path: Path) -> str:
    found = programs(read_layout({"WEIR_DATA_DIR": str(tmp_path)}))
    (worker,) = (program.command for program in found if program.name == "worker")
    return worker[worker.index("-Q") + 1].removeprefix("celery,")


def test_the_queue_of_the_host_stays_when_the_machine_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database of the data folder says of each engine on which host's queue it is."""
    rename_machine(monkeypatch, "old")
    first = variables(tmp_path)
    assert first["WEIR_HOST_QUEUE"] == worker_queue(tmp_path) == "engines.old"
    save(tmp_path, first)
    rename_machine(monkeypatch, "new")
    assert variables(tmp_path)["WEIR_HOST_QUEUE"] == worker_queue(tmp_path) == "engines.old"
    monkeypatch.setenv("WEIR_HOST_QUEUE", "engines.mine")
    assert variables(tmp_path)["WEIR_HOST_QUEUE"] == worker_queue(tmp_path) == "engines.mine"
