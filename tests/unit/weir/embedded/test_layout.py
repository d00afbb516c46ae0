"""Ports and folders follow the environment."""

from pathlib import Path

import pytest

from weir.embedded.layout import PORT_SETTINGS, REPOSITORY, SettingError, make_data_folder, read_layout


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


@pytest.mark.parametrize("text", ["abc", "0", "-1", "65536", "8400.0"])
@pytest.mark.parametrize("setting", PORT_SETTINGS.values())
def test_what_is_no_port_is_named_with_its_setting(setting: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"{setting} is {text}"):
        read_layout({setting: text})


def test_a_derived_port_beyond_the_last_one_is_named() -> None:
    with pytest.raises(SettingError, match="WEIR_KAFKA_SECURED_PORT is 65536"):
        read_layout({"WEIR_KAFKA_PORT": "65534"})


def test_an_empty_setting_is_none() -> None:
    assert read_layout(dict.fromkeys([*PORT_SETTINGS.values(), "WEIR_DATA_DIR"], "")) == read_layout({})


@pytest.mark.parametrize("folder", [REPOSITORY, REPOSITORY.parent, Path("/")])
def test_a_folder_with_more_than_data_in_it_is_refused(folder: Path) -> None:
    with pytest.raises(SettingError, match="WEIR_DATA_DIR"):
        read_layout({"WEIR_DATA_DIR": str(folder)})


@pytest.mark.parametrize("name", ["a,b", "a:b", "a ;b", "a #b", "100 %", "a\nb"])
def test_a_folder_that_a_server_would_read_otherwise_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingError, match="WEIR_DATA_DIR"):
        read_layout({"WEIR_DATA_DIR": str(tmp_path / name)})


def test_the_data_folder_is_made_for_this_user_alone(tmp_path: Path) -> None:
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path / "a" / "data")})
    make_data_folder(layout)
    assert layout.data.stat().st_mode & 0o777 == 0o700


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(SettingError, match=f"{path} can't be used.*WEIR_DATA_DIR"):
            make_data_folder(read_layout({"WEIR_DATA_DIR": str(path)}))
