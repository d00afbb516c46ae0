"""A Kafka cluster's connection profile, with structured fields only, and the client options built from it.

Users set the fields; options are built here, so that no option of a user's choice reaches librdkafka or the
JVM (`docs/security.md#kafka`).
"""

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from jobs.encryption import DecryptionError, read_keys

Security = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

MAX_CERTIFICATES: Final = 64 * 1024
_HOST_PORT: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]):(\d{1,5})"
)
_USER: Final = re.compile(r"[^\x00-\x1f\x7f;]{1,255}")
_CERTIFICATES: Final = re.compile(
    r"(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+"
)
_LOGIN_MODULES: Final[dict[Mechanism, str]] = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


def _bootstrap_text(text: str) -> str:
    for part in text.split(","):
        found = _HOST_PORT.fullmatch(part)
        if found is None or not 0 < int(found.group(1)) < 65_536:
            raise ValueError(f"{part[:80]!r} isn't a valid address. Use host:port[,host:port…].")
    return text


def _user_text(text: str) -> str:
    if text and not _USER.fullmatch(text):
        raise ValueError(
            "A user name needs at most 255 characters, without control characters and semicolons."
        )
    return text


def _certificate_text(text: str) -> str:
    if text and (len(text) > MAX_CERTIFICATES or not _CERTIFICATES.fullmatch(text)):
        raise ValueError(
            "Paste only certificates, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, "
            "without private keys."
        )
    return text


class ClusterProfile(BaseModel):
    """How to reach a cluster. Equal profiles reach the same cluster as the same user with the same secret.

    Attributes:
        cluster_id: our row's id, not Kafka's.
        bootstrap: host:port[,host:port…].
        security: with TLS (…SSL) or without, with a user (SASL…) or without. PLAIN needs TLS: it sends the
            password as it is.
        mechanism: how the user is authenticated; None without one.
        username: empty without one.
        password: encrypted (`jobs.encryption`) for `password_context`; decrypted only when a client is
            created.
        password_file: path of a file of mode 0600 that holds the password instead; of the home cluster only,
            from the settings.
        ca: PEM certificates that vouch for the brokers; empty: those that the machine trusts.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    cluster_id: str
    bootstrap: Annotated[str, AfterValidator(_bootstrap_text)]
    security: Security = "PLAINTEXT"
    mechanism: Mechanism | None = None
    username: Annotated[str, AfterValidator(_user_text)] = ""
    password: str = ""
    password_file: str = ""
    ca: Annotated[str, AfterValidator(_certificate_text)] = ""

    @model_validator(mode="after")
    def _fits_together(self) -> "ClusterProfile":
        if (
            self.sasl != (self.mechanism is not None)
            or self.sasl != bool(self.username)
            or self.sasl != bool(self.password or self.password_file)
        ):
            needs = (
                "needs a mechanism, a user name and a password"
                if self.sasl
                else "doesn't support a mechanism, user name or password"
            )
            raise ValueError(f"{self.security} {needs}.")
        if self.ca and not self.tls:
            raise ValueError(f"{self.security} doesn't use TLS, so it doesn't need certificates.")
        if self.security == "SASL_PLAINTEXT" and self.mechanism == "PLAIN":
            raise ValueError("PLAIN needs TLS. Use SASL_SSL or SCRAM.")
        return self

    @property
    def tls(self) -> bool:
        """True when the connection is encrypted."""
        return self.security in ("SSL", "SASL_SSL")

    @property
    def sasl(self) -> bool:
        """True when the connection authenticates a user."""
        return self.security in ("SASL_PLAINTEXT", "SASL_SSL")

    @property
    def password_context(self) -> str:
        """Context that the password is encrypted for."""
        return password_context(self.cluster_id)


def password_context(cluster_id: str) -> str:
    """Context of a cluster's encrypted password; an envelope of another cluster cannot be decrypted."""
    return f"cluster/{cluster_id}/password"


def check_password(text: str) -> str:
    """The password, unchanged, if clients can use it.

    Raises:
        ValueError: it is empty, longer than 255 characters, or contains a control character or a semicolon,
            which would end a JAAS entry.
    """
    if not _USER.fullmatch(text):
        raise ValueError("A password needs 1 to 255 characters, without control characters and semicolons.")
    return text


class PasswordDecryptor:
    """Decrypts passwords with the keys of a file.

    The file is read on each use, because it may be created, or get a new key, later.
    """

    def __init__(self, key_file: Path | None) -> None:
        self._key_file = key_file

    def password(self, profile: ClusterProfile) -> str:
        """A profile's password; empty without a user.

        Raises:
            DecryptionError: the password can't be decrypted, or its file, or the key file, can't be used.
            ValueError: clients can't use the password (`check_password`).
        """
        if not profile.sasl:
            return ""
        if profile.password_file:
            return _password_in(Path(profile.password_file))
        if self._key_file is None:
            raise DecryptionError("there is no encryption key file to decrypt the cluster's password with")
        try:
            return check_password(
                read_keys(self._key_file).decrypt(profile.password, profile.password_context)
            )
        except FileNotFoundError as error:
            raise DecryptionError(f"encryption key file {self._key_file} doesn't exist") from error
        except OSError as error:
            message = f"encryption key file {self._key_file} can't be read: {error.strerror}"
            raise DecryptionError(message) from error


def _password_in(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            raise DecryptionError(f"password file {path} is readable by others; set its mode to 0600")
        return check_password(path.read_text(encoding="utf-8").strip())
    except OSError as error:
        raise DecryptionError(f"password file {path} can't be read: {error.strerror}") from error


NO_DECRYPTION: Final = PasswordDecryptor(None)


# Of admin clients. Their requests go to the leader that they know of, and one that does not answer is no
# reason for librdkafka 2.15 to ask for another: after a broker's death each request would time out for a
# quarter of an hour.
FRESH_METADATA: Final = {"metadata.max.age.ms": 5_000}
# Of admin clients and producers of clusters that somebody else runs: the client takes the memory for an
# answer as soon as its length is known, and Python some thirty times as much for a list of topics.
BOUNDED_ANSWERS: Final = {"receive.message.max.bytes": 4 << 20}


def librdkafka_options(
    profile: ClusterProfile, decryptor: PasswordDecryptor = NO_DECRYPTION
) -> dict[str, str]:
    """Options of a confluent-kafka client for this cluster.

    Raises:
        DecryptionError: the password cannot be decrypted.
    """
    options = {
        "bootstrap.servers": profile.bootstrap,
        "security.protocol": profile.security,
        # Connect to all brokers, not only those with requests: otherwise librdkafka 2.15 retries an
        # unreachable broker without a pause while an admin request waits, using more than a whole core.
        "enable.sparse.connections": "false",
    }
    if profile.tls:
        options["ssl.endpoint.identification.algorithm"] = "https"
        if profile.ca:
            options["ssl.ca.pem"] = profile.ca
    if profile.mechanism is not None:
        options |= {
            "sasl.mechanism": profile.mechanism,
            "sasl.username": profile.username,
            "sasl.password": decryptor.password(profile),
        }
    return options


def jvm_options(profile: ClusterProfile, decryptor: PasswordDecryptor = NO_DECRYPTION) -> dict[str, str]:
    """Options of Spark's Kafka source and sink for this cluster, each with its ``kafka.`` prefix.

    Raises:
        DecryptionError: the password cannot be decrypted.
    """
    options = {"kafka.bootstrap.servers": profile.bootstrap, "kafka.security.protocol": profile.security}
    if profile.tls:
        options["kafka.ssl.endpoint.identification.algorithm"] = "https"
        if profile.ca:
            options |= {"kafka.ssl.truststore.type": "PEM", "kafka.ssl.truststore.certificates": profile.ca}
    if profile.mechanism is not None:
        options["kafka.sasl.mechanism"] = profile.mechanism
        options["kafka.sasl.jaas.config"] = _jaas(
            profile.mechanism, profile.username, decryptor.password(profile)
        )
    return options


def _jaas(mechanism: Mechanism, username: str, password: str) -> str:
    return f"{_LOGIN_MODULES[mechanism]} required username={_quoted(username)} password={_quoted(password)};"


def _quoted(text: str) -> str:
    """A quoted value of JAAS text; control characters and semicolons were refused before."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
