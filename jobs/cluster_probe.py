"""Fetches a cluster's identity over a single connection to a bootstrap server.

librdkafka and the JVM's client connect to every broker that a cluster advertises as soon as they know it.
Brokers of a workspace's cluster have to be checked before: an advertised name may be any address in this
installation's own network. So the first request is sent with a client whose connections we control.
"""

import logging
import ssl
import time
from dataclasses import dataclass
from typing import Any, Final

from jobs.broker_addresses import connect, endpoints_of, resolve
from jobs.cluster_identity import ClusterIdentity
from jobs.connections import NO_DECRYPTION, ClusterProfile, PasswordDecryptor

_MAX_ANSWER_BYTES: Final = 16 << 20
_MAX_IDENTITY_BYTES: Final = 256 << 10  # of 500 brokers with long names
_MAX_TOPICS_BYTES: Final = 4 << 20
_MAX_TEXT: Final = 300  # characters of an error
# Its errors say enough; an unreachable broker would fill the log.
logging.getLogger("kafka").setLevel(logging.CRITICAL)


class ProbeError(Exception):
    """A cluster's identity can't be fetched; `reason`: unanswered, user_refused, mechanism_unknown,
    too_many_topics, or closed, while the user signed in: as some do that reject it, and one that restarts.

    The text may be the peer's own words, so it is cut to what can be shown and stored.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__("".join(sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]))
        self.reason = reason


@dataclass(frozen=True)
class Probed:
    """The response of a cluster; `topics` is the number of its topics, 0 if that was not requested."""

    identity: ClusterIdentity
    topics: int = 0


def probe(
    profile: ClusterProfile,
    decryptor: PasswordDecryptor = NO_DECRYPTION,
    timeout_s: float = 4.0,
    *,
    with_topics: bool = False,
) -> Probed:
    """Fetch a cluster's identity from its bootstrap servers, trying one after the other until one responds.

    Args:
        profile: connection to the cluster.
        decryptor: decrypts its password.
        timeout_s: limit for all servers together, in seconds, without looking up the name of the last; the
            response of the one that accepts a connection may take as long again.
        with_topics: count the topics, too, with a second question.

    Raises:
        ProbeError: no server responds, the user is rejected, or the list of topics is too long.
        DecryptionError: the password can't be decrypted.
    """
    # Imported here: it takes a third of a second, and most processes never need it.
    from jobs.kafka_python import SaslAuthenticationFailedError, UnsupportedSaslMechanismError  # noqa: PLC0415

    password = decryptor.password(profile)
    until = time.monotonic() + timeout_s
    error = ProbeError("unanswered", "no bootstrap server responded in time")
    servers = endpoints_of(profile.bootstrap)
    for number, (host, port) in enumerate(servers):
        if time.monotonic() >= until:
            break
        try:
            # kafka-python does not close the socket of a refused connection, so this checks first whether the
            # port is open.
            addresses = resolve(host, port)
            connect(addresses, port, (until - time.monotonic()) / (len(servers) - number)).close()
            left_ms = max(1, int((until - time.monotonic()) * 1000))
            return _asked(client_options(profile, password, host, port), left_ms, with_topics=with_topics)
        except ProbeError:
            raise
        except SaslAuthenticationFailedError as refused:
            error = ProbeError("user_refused", str(refused))
        except UnsupportedSaslMechanismError as unknown:
            error = ProbeError("mechanism_unknown", str(unknown))
        except Exception as other:  # noqa: BLE001 - what a peer that speaks no Kafka makes of a decoder is anything
            is_closed = profile.sasl and "disconnected" in str(other)
            error = ProbeError("closed" if is_closed else "unanswered", f"{type(other).__name__}: {other}")
    raise error


def client_options(profile: ClusterProfile, password: str, host: str, port: int) -> dict[str, Any]:
    """Options of a kafka-python client that knows one server of a cluster.

    Args:
        profile: connection to the cluster.
        password: decrypted; empty for none.
        host: of the server.
        port: of the server.
    """
    return {
        "bootstrap_servers": [f"[{host}]:{port}" if ":" in host else f"{host}:{port}"],
        "client_id": "weir",
        "receive_message_max_bytes": _MAX_ANSWER_BYTES,
        "security_protocol": profile.security,
        "ssl_context": ssl.create_default_context(cadata=profile.ca or None) if profile.tls else None,
        "sasl_mechanism": profile.mechanism,
        "sasl_plain_username": profile.username or None,
        "sasl_plain_password": password or None,
    }


def _asked(options: dict[str, Any], timeout_ms: int, *, with_topics: bool) -> Probed:
    from jobs.kafka_python import InvalidReceiveError, MetadataRequest  # noqa: PLC0415

    response = _metadata(MetadataRequest.NO_TOPICS, options, timeout_ms, _MAX_IDENTITY_BYTES)
    brokers = tuple((str(broker.host), int(broker.port)) for broker in response.brokers)
    identity = ClusterIdentity(str(response.cluster_id or ""), brokers)
    if not with_topics:
        return Probed(identity)
    try:
        listed = _metadata(MetadataRequest.ALL_TOPICS, options, timeout_ms, _MAX_TOPICS_BYTES)
    except InvalidReceiveError as error:
        raise ProbeError(
            "too_many_topics",
            f"The list of topics has more than {_MAX_TOPICS_BYTES >> 20} MiB. "
            "Let the user describe fewer topics.",
        ) from error
    return Probed(identity, len(listed.topics or ()))


def _metadata(topics: Any, options: dict[str, Any], timeout_ms: int, max_bytes: int) -> Any:
    from jobs.kafka_python import MetadataRequest  # noqa: PLC0415
    from jobs.kafka_request import send_request  # noqa: PLC0415

    return send_request(
        MetadataRequest(topics=topics, allow_auto_topic_creation=False),
        {**options, "receive_message_max_bytes": max_bytes},
        timeout_ms,
    )
