"""Folders and ports of the embedded system. Standard library only."""

import errno
import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

_MAX_SOCKET_PATH_CHARS = 100  # the operating system's limit is 104 to 108 bytes

MAX_PORT = 65_535

_YES = ("true", "on", "ok", "y", "yes", "1")  # the values that django-environ takes for true

# Kafka and the JVM take the first two for the end of a path, supervisord the others or for a format.
_NOT_IN_PATHS = (",", ":", " ;", " #", "%", "\n")

PORT_SETTINGS = {
    "web": "WEIR_WEB_PORT",
    "kafka": "WEIR_KAFKA_PORT",
    "kafka with a user": "WEIR_KAFKA_SECURED_PORT",
    "kafka controller": "WEIR_KAFKA_CONTROLLER_PORT",
    "valkey": "WEIR_VALKEY_PORT",
}


class SettingError(SystemExit):
    """A setting that no system can have; ends a command with its message, which says what to set."""


@dataclass(frozen=True)
class Layout:
    """Folders and ports of one embedded system; several with different ones can run on one machine.

    Attributes:
        repository: root of the clone.
        data: data folder.
        web_port: of the web process.
        kafka_port: of the broker's open listener, for tools without a user.
        kafka_secured_port: of the broker's listener for Weir's user.
        kafka_controller_port: of Kafka's controller.
        valkey_port: of Valkey.
        kafka_open: whether the broker has the open listener.
    """

    repository: Path
    data: Path
    web_port: int
    kafka_port: int
    kafka_secured_port: int
    kafka_controller_port: int
    valkey_port: int
    kafka_open: bool = True

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.repository / ".venv"

    @property
    def python(self) -> Path:
        """The virtual environment's interpreter."""
        return self.venv / "bin" / "python"

    @property
    def logs(self) -> Path:
        """One log file per process."""
        return self.data / "logs"

    @property
    def demo_progress(self) -> Path:
        """Where the demo's process writes what it has done; private, because of the sign-in link."""
        return self.data / "demo.progress"

    @property
    def supervisor_socket(self) -> Path:
        """The supervisor's control socket, accessible to this user only."""
        inside = self.data / "supervisor.sock"
        if len(str(inside)) <= _MAX_SOCKET_PATH_CHARS:
            return inside
        digest = hashlib.sha256(str(self.data).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"weir-{digest}.sock"

    @property
    def web_address(self) -> str:
        """URL of the web interface."""
        return f"http://127.0.0.1:{self.web_port}"

    @property
    def ports(self) -> dict[str, int]:
        """Listener (a key of `PORT_SETTINGS`) → port."""
        return {
            "web": self.web_port,
            **({"kafka": self.kafka_port} if self.kafka_open else {}),
            "kafka with a user": self.kafka_secured_port,
            "kafka controller": self.kafka_controller_port,
            "valkey": self.valkey_port,
        }


def read_layout(environment: Mapping[str, str] = os.environ) -> Layout:
    """The layout from environment variables.

    Args:
        environment: variable → value; missing and empty variables have defaults.

    Raises:
        SettingError: a port is no port, or the data folder has more than data in it.
    """
    kafka_port = _port(environment, "WEIR_KAFKA_PORT", 19092)
    return Layout(
        repository=REPOSITORY,
        data=_data(environment.get("WEIR_DATA_DIR") or str(REPOSITORY / "var")),
        web_port=_port(environment, "WEIR_WEB_PORT", 8400),
        kafka_port=kafka_port,
        kafka_secured_port=_port(environment, "WEIR_KAFKA_SECURED_PORT", kafka_port + 2),
        kafka_controller_port=_port(environment, "WEIR_KAFKA_CONTROLLER_PORT", kafka_port + 1),
        valkey_port=_port(environment, "WEIR_VALKEY_PORT", 16379),
        kafka_open=environment.get("WEIR_KAFKA_OPEN", "true").strip().lower() in _YES,
    )


def make_data_folder(layout: Layout) -> None:
    """Make the data folder for this user alone, unless it is there.

    Raises:
        SettingError: it can't be made, or this user can't write to it.
    """
    try:
        layout.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason = "" if os.access(layout.data, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
    if reason:
        raise SettingError(
            f"The data folder {layout.data} can't be used: {reason}. Set WEIR_DATA_DIR to another one."
        )


def _port(environment: Mapping[str, str], setting: str, default: int) -> int:
    text = environment.get(setting) or str(default)
    if not text.isdecimal() or not 0 < int(text) <= MAX_PORT:
        raise SettingError(f"{setting} is {text}. Set it to a port, 1 to {MAX_PORT}.")
    return int(text)


def _data(text: str) -> Path:
    path = Path(text).resolve()
    if path in (REPOSITORY, *REPOSITORY.parents):
        raise SettingError(
            f"WEIR_DATA_DIR is {path}, which has Weir itself in it. Set it to a folder for data alone."
        )
    if found := [part for part in _NOT_IN_PATHS if part in str(path)]:
        raise SettingError(f"WEIR_DATA_DIR is {path}. Set it to a folder without {found[0]!r} in its path.")
    return path
