"""Ports and folders follow the environment."""

from pathlib import Path

import pytest

from weir.embedded.layout import PORT_SETTINGS, REPOSITORY, read_layout


def test_defaults() -> None:
    layout = read_layout({})
    assert layout.ports == {
        "web": 8400,
        "kafka": 19092,
        "kafka with a user": 19094,
        "kafka controller": 19093,
        "valkey": 16379,
    }
    assert layout.data == REPOSITORY / "var"


def test_every_port_can_be_moved() -> None:
    for number, (name, setting) in enumerate(PORT_SETTINGS.items()):
        assert read_layout({setting: str(30_000 + number)}).ports[name] == 30_000 + number


def test_kafkas_other_ports_follow_the_broker() -> None:
    layout = read_layout({"WEIR_KAFKA_PORT": "20000"})
    assert (layout.kafka_controller_port, layout.kafka_secured_port) == (20_001, 20_002)


@pytest.mark.parametrize(
    ("text", "is_open"),
    [("false", False), ("0", False), ("off", False), ("", False), ("true", True), (" True ", True)],
)
def test_the_open_listener_can_be_closed(text: str, is_open: bool) -> None:
    layout = read_layout({"WEIR_KAFKA_OPEN": text})
    assert layout.kafka_open is is_open
    assert ("kafka" in layout.ports) is is_open


def test_a_deep_folder_has_a_short_socket_path(tmp_path: Path) -> None:
    shallow = read_layout({"WEIR_DATA_DIR": "/d"})
    assert shallow.supervisor_socket == Path("/d/supervisor.sock")
    deep = read_layout({"WEIR_DATA_DIR": str(tmp_path / ("x" * 120))})
    assert len(str(deep.supervisor_socket)) <= 100
