"""Access to the embedded broker: Weir's user, and an open listener for other tools without Weir's topics.

Imports no Django, so that tests can start the same broker.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weir.embedded.private_files import write_private

USER: Final = "weir"
MECHANISM: Final = "SCRAM-SHA-512"
SECURITY: Final = "SASL_PLAINTEXT"
_CONTROLLER: Final = "controller"
_SCRAM: Final = "org.apache.kafka.common.security.scram.ScramLoginModule"
_PLAIN: Final = "org.apache.kafka.common.security.plain.PlainLoginModule"


@dataclass(frozen=True)
class KafkaAccess:
    """A broker's user and listeners.

    Attributes:
        folder: holds the passwords.
        port: of the listener that requires the user.
        is_open: whether there is a listener without authentication, too.
    """

    folder: Path
    port: int
    is_open: bool = True

    @property
    def bootstrap(self) -> str:
        """Bootstrap servers for clients with the user."""
        return f"127.0.0.1:{self.port}"

    @property
    def password_file(self) -> Path:
        """The file with the user's password; mode 0600."""
        return self.folder / "password"

    @property
    def client_options(self) -> dict[str, str]:
        """Options of a confluent-kafka client with the user."""
        return {
            "bootstrap.servers": self.bootstrap,
            "security.protocol": SECURITY,
            "sasl.mechanism": MECHANISM,
            "sasl.username": USER,
            "sasl.password": self.password_file.read_text(),
        }

    def prepare(self) -> None:
        """Generate missing passwords."""
        for file in (self.password_file, self._controller_password_file):
            if not file.exists():
                write_private(file, secrets.token_urlsafe(32))

    def properties(self, open_port: int, controller_port: int) -> dict[str, str]:
        """The broker's settings for listeners, users and authorization; they contain passwords.

        Brokers authenticate to the controller with a password from these settings: the controller needs it
        before it can read stored credentials.

        Args:
            open_port: of the listener without authentication.
            controller_port: of the controller.
        """
        listeners = {
            "SECURED": self.port,
            "CONTROLLER": controller_port,
            **({"OPEN": open_port} if self.is_open else {}),
        }
        addresses = ",".join(f"{name}://127.0.0.1:{port}" for name, port in listeners.items())
        password, controller = self.password_file.read_text(), self._controller_password_file.read_text()
        plain = (
            f'{_PLAIN} required username="{_CONTROLLER}" password="{controller}" '
            f'user_{_CONTROLLER}="{controller}";'
        )
        scram = f'{_SCRAM} required username="{USER}" password="{password}";'
        return {
            "listeners": addresses,
            "advertised.listeners": addresses,
            "listener.security.protocol.map": f"SECURED:{SECURITY},CONTROLLER:{SECURITY},OPEN:PLAINTEXT",
            "inter.broker.listener.name": "SECURED",
            "sasl.mechanism.inter.broker.protocol": MECHANISM,
            "sasl.mechanism.controller.protocol": "PLAIN",
            "listener.name.secured.sasl.enabled.mechanisms": MECHANISM,
            f"listener.name.secured.{MECHANISM.lower()}.sasl.jaas.config": scram,
            "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.controller.plain.sasl.jaas.config": plain,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:{USER};User:{_CONTROLLER}",
        }

    def controller_client(self, controller_port: int) -> dict[str, str | list[str]]:
        """Options of a kafka-python client for the controller."""
        return {
            "bootstrap_servers": [f"127.0.0.1:{controller_port}"],
            "client_id": USER,
            "security_protocol": SECURITY,
            "sasl_mechanism": "PLAIN",
            "sasl_plain_username": _CONTROLLER,
            "sasl_plain_password": self._controller_password_file.read_text(),
        }

    @property
    def _controller_password_file(self) -> Path:
        return self.folder / "controller-password"
