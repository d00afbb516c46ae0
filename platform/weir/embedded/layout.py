"""Where the embedded system keeps its files and which ports it takes. Standard library only."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

_SOCKET_PATH = 100  # the system takes 104 to 108 bytes

_YES = ("true", "on", "ok", "y", "yes", "1")  # as the platform's own settings are read

PORT_SETTINGS = {
    "web": "WEIR_WEB_PORT",
    "kafka": "WEIR_KAFKA_PORT",
    "kafka with a user": "WEIR_KAFKA_SECURED_PORT",
    "kafka controller": "WEIR_KAFKA_CONTROLLER_PORT",
    "valkey": "WEIR_VALKEY_PORT",
}


@dataclass(frozen=True)
class Layout:
    """Folders and ports of one embedded system; two with different data folders and ports can run side by side.

    `kafka_open`: whether the broker has a listener, at `kafka_port`, for tools that have no user.
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
        """The supervisor's control socket, open to this user only."""
        inside = self.data / "supervisor.sock"
        if len(str(inside)) <= _SOCKET_PATH:
            return inside
        return Path(tempfile.gettempdir()) / f"weir-{hashlib.sha256(str(self.data).encode()).hexdigest()[:16]}.sock"

    @property
    def web_address(self) -> str:
        """Where a browser goes."""
        return f"http://127.0.0.1:{self.web_port}"

    @property
    def ports(self) -> dict[str, int]:
        """Port by what listens on it; the names are those of `PORT_SETTINGS`."""
        return {
            "web": self.web_port,
            **({"kafka": self.kafka_port} if self.kafka_open else {}),
            "kafka with a user": self.kafka_secured_port,
            "kafka controller": self.kafka_controller_port,
            "valkey": self.valkey_port,
        }


def read_layout(environment: Mapping[str, str] = os.environ) -> Layout:
    """The layout that environment variables ask for.

    Args:
        environment: variable → text; an absent one has its default.
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
