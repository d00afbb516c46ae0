"""Folders and ports of the embedded system. Standard library only."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

_MAX_SOCKET_PATH_CHARS = 100  # the operating system's limit is 104 to 108 bytes

_YES = ("true", "on", "ok", "y", "yes", "1")  # the values that django-environ takes for true

PORT_SETTINGS = {
    "web": "WEIR_WEB_PORT",
    "kafka": "WEIR_KAFKA_PORT",
    "kafka with a user": "WEIR_KAFKA_SECURED_PORT",
    "kafka controller": "WEIR_KAFKA_CONTROLLER_PORT",
    "valkey": "WEIR_VALKEY_PORT",
}


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
        environment: variable → value; missing variables have defaults.
    """
    kafka_port = int(environment.get("WEIR_KAFKA_PORT", "19092"))
    return Layout(
        repository=REPOSITORY,
        data=Path(environment.get("WEIR_DATA_DIR", str(REPOSITORY / "var"))).resolve(),
        web_port=int(environment.get("WEIR_WEB_PORT", "8400")),
        kafka_port=kafka_port,
        kafka_secured_port=int(environment.get("WEIR_KAFKA_SECURED_PORT", str(kafka_port + 2))),
        kafka_controller_port=int(environment.get("WEIR_KAFKA_CONTROLLER_PORT", str(kafka_port + 1))),
        valkey_port=int(environment.get("WEIR_VALKEY_PORT", "16379")),
        kafka_open=environment.get("WEIR_KAFKA_OPEN", "true").strip().lower() in _YES,
    )
