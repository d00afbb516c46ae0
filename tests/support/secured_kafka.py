"""A second, foreign Kafka for tests: TLS with its own authority, users by SCRAM and PLAIN."""

from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.certificates import pem, private_pem, signed
from tests.support.kafka_node import KafkaServer
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import install_jars
from weir.embedded.kafka_node import KafkaNode


@dataclass(frozen=True)
class _SecuredNode(KafkaNode):
    secured_port: int = 0
    tls_port: int = 0
    private_key: str = ""
    certificate: str = ""
    plain_password: str = ""
    has_acls: bool = False

    def properties(self) -> dict[str, str]:
        base = super().properties()
        more = f",SECURED://127.0.0.1:{self.secured_port},TLS://127.0.0.1:{self.tls_port}"
        base["listeners"] += more
        base["advertised.listeners"] += more
        base["listener.security.protocol.map"] += ",SECURED:SASL_SSL,TLS:SSL"
        base["sasl.enabled.mechanisms"] = "SCRAM-SHA-256,SCRAM-SHA-512,PLAIN"
        scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        plain = f'{module} required user_ann="{self.plain_password}";'
        jaas = {"scram-sha-256": scram, "scram-sha-512": scram, "plain": plain}
        base |= {f"listener.name.secured.{name}.sasl.jaas.config": text for name, text in jaas.items()}
        if self.has_acls:
            base |= {
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users": "User:ANONYMOUS",
            }
        for listener in ("secured", "tls"):
            base |= {
                f"listener.name.{listener}.ssl.keystore.type": "PEM",
                f"listener.name.{listener}.ssl.keystore.key": self.private_key.replace("\n", "\\n"),
                f"listener.name.{listener}.ssl.keystore.certificate.chain": self.certificate.replace(
                    "\n", "\\n"
                ),
            }
        return base


class SecuredKafka(KafkaServer):
    """The PLAINTEXT listener is for the test itself; profiles use `secured` or `tls`, with `ca`.

    Args:
        folder: of its data, new.
        password: of the PLAIN user ann.
        has_acls: users have only the rights that `allow` gave them.
    """

    def __init__(self, folder: Path, password: str, *, has_acls: bool = False) -> None:
        port, controller_port, secured_port, tls_port = free_ports(4)
        install_jars()
        authority, broker = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.ca = pem(signed("test authority", authority, "test authority", authority, authority=True))
        self._node = _SecuredNode(
            folder, port, controller_port, heap_mb=384, secured_port=secured_port, tls_port=tls_port,
            private_key=private_pem(broker),
            certificate=pem(signed("broker", broker, "test authority", authority, authority=False)),
            plain_password=password, has_acls=has_acls,
        )  # fmt: skip
        self._node.prepare()
        self._process = ServerProcess(self._node.command(), folder / "kafka.log")
        self.secured, self.tls = f"127.0.0.1:{secured_port}", f"127.0.0.1:{tls_port}"

    def scram(self, username: str, password: str, **other: str) -> dict[str, str]:
        """Body of a request about this cluster, for a SCRAM user; `other` goes instead of what it says."""
        connection = {
            "bootstrap": self.secured,
            "security": "SASL_SSL",
            "mechanism": "SCRAM-SHA-512",
            "ca": self.ca,
        }
        return {**connection, "username": username, "password": password, **other}

    def allow(self, username: str, topic: str, *operations: AclOperation) -> None:
        """Give a user rights to a topic."""
        rules = [
            AclBinding(
                ResourceType.TOPIC,
                topic,
                ResourcePatternType.LITERAL,
                f"User:{username}",
                "*",
                operation,
                AclPermissionType.ALLOW,
            )
            for operation in operations
        ]
        admin = AdminClient({"bootstrap.servers": self.bootstrap})  # kept until it has answered
        for future in admin.create_acls(rules).values():
            future.result(20)

    def set_password(self, username: str, password: str) -> None:
        """Make a SCRAM user of both kinds, or give it another password."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        kinds = (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
        changes = [
            UserScramCredentialUpsertion(username, ScramCredentialInfo(kind, 4096), password.encode())
            for kind in kinds
        ]
        wait_until(lambda: _done(admin, changes), 20, f"{username} has a password")
        # The broker takes it up a moment after the controller has it.
        options: dict[str, str | int | float | bool] = {
            "bootstrap.servers": self.secured, "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": username, "sasl.password": password, "ssl.ca.pem": self.ca, "log_level": 0,
        }  # fmt: skip
        wait_until(lambda: _opens(AdminClient(options)), 20, f"{username} can sign in")


def _done(admin: AdminClient, changes: list[UserScramCredentialUpsertion]) -> bool:
    try:
        for change in changes:
            for future in admin.alter_user_scram_credentials([change]).values():
                future.result(10)
    except KafkaException as error:
        if error.args[0].code() in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT):
            return False
        raise
    return True


def _opens(client: AdminClient) -> bool:
    try:
        client.list_topics(timeout=2)
    except KafkaException:
        return False
    return True
