"""Ports that can't be used are named before anything starts, with what to set."""

import shlex
import socket
from pathlib import Path

import pytest

from tests.support.processes import free_ports
from weir.embedded.layout import PORT_SETTINGS, Layout, read_layout
from weir.embedded.ports import port_problems


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Free ports, all of the embedded system."""
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    ports = dict(zip(PORT_SETTINGS.values(), map(str, free_ports(len(PORT_SETTINGS))), strict=True))
    return ports | {"WEIR_DATA_DIR": str(tmp_path)}


def remedied(chosen: dict[str, str]) -> Layout:
    """The layout with what the last line says."""
    *_, remedy = port_problems(read_layout(chosen))
    said = shlex.split(remedy.partition(": ")[2])
    assert said[-2:] == ["make", "run"]
    return read_layout(chosen | dict(each.split("=") for each in said[:-2]))


def test_free_ports_are_no_problem(chosen: dict[str, str]) -> None:
    assert port_problems(read_layout(chosen)) == []


def test_two_that_meet_are_named_with_what_to_set(chosen: dict[str, str]) -> None:
    port = chosen["WEIR_VALKEY_PORT"] = chosen["WEIR_KAFKA_SECURED_PORT"]
    said, _ = port_problems(read_layout(chosen))
    assert said == f"Port {port} is set for both kafka with a user and valkey."
    assert port_problems(remedied(chosen)) == []


def test_the_ports_that_follow_kafkas_may_meet_others(chosen: dict[str, str]) -> None:
    for name in ("WEIR_KAFKA_SECURED_PORT", "WEIR_KAFKA_CONTROLLER_PORT"):
        del chosen[name]
    chosen["WEIR_WEB_PORT"] = str(int(chosen["WEIR_KAFKA_PORT"]) + 1)
    chosen["WEIR_VALKEY_PORT"] = str(int(chosen["WEIR_KAFKA_PORT"]) + 2)
    problems = port_problems(read_layout(chosen))
    assert [line.partition(" is ")[0] for line in problems[:-1]] == [
        f"Port {chosen['WEIR_WEB_PORT']}",
        f"Port {chosen['WEIR_VALKEY_PORT']}",
    ]
    assert port_problems(remedied(chosen)) == []


def test_all_that_others_use_are_named_and_moved_at_once(chosen: dict[str, str]) -> None:
    listeners = [socket.create_server(("127.0.0.1", port)) for port in read_layout(chosen).ports.values()]
    try:
        assert len(port_problems(read_layout(chosen))) == len(PORT_SETTINGS) + 1
        assert port_problems(remedied(chosen)) == []
    finally:
        for listener in listeners:
            listener.close()


@pytest.mark.parametrize(
    ("variable", "kept"), [("KAFKA_BOOTSTRAP_SERVERS", "WEIR_KAFKA_PORT"), ("REDIS_URL", "WEIR_VALKEY_PORT")]
)
def test_ports_of_servers_that_are_elsewhere_are_not_asked_for(
    chosen: dict[str, str], monkeypatch: pytest.MonkeyPatch, variable: str, kept: str
) -> None:
    monkeypatch.setenv(variable, "elsewhere")
    with socket.create_server(("127.0.0.1", int(chosen[kept]))):
        assert port_problems(read_layout(chosen)) == []
