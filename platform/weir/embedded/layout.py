"""Where the embedded system keeps its files and which ports it takes. Standard library only."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

PORT_SETTINGS = {
    "web": "WEIR_WEB_PORT",
    "kafka": "WEIR_KAFKA_PORT",
    "kafka controller": "WEIR_KAFKA_CONTROLLER_PORT",
    "valkey": "WEIR_VALKEY_PORT",
}


@dataclass(frozen=True)
class Layout:
    """Folders and ports of one embedded system; two with different data folders and ports can run side by side."""

    repository: Path
    data: Path
    web_port: int
    kafka_port: int
    kafka_controller_port: int
    valkey_port: int

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
    def processes(self) -> Path:
        """One record per started process: what the next start uses to find what was left over."""
        return self.data / "processes"

    @property
    def supervisor_socket(self) -> Path:
        """The supervisor's control socket, open to this user only."""
        return self.data / "supervisor.sock"

    @property
    def ports(self) -> dict[str, int]:
        """Port by what listens on it; the names are those of `PORT_SETTINGS`."""
        return {
            "web": self.web_port,
            "kafka": self.kafka_port,
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
        kafka_controller_port=int(environment.get("WEIR_KAFKA_CONTROLLER_PORT", str(kafka_port + 1))),
        valkey_port=int(environment.get("WEIR_VALKEY_PORT", "16379")),
    )
