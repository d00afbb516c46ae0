"""What ends one day if nobody looks: the disks of a cluster's brokers, and the certificates of its TLS."""

import ssl
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from confluent_kafka import KafkaException
from django.conf import settings

from jobs.broker_addresses import Endpoint, connect, endpoints_of, resolve
from jobs.cluster_probe import client_options
from jobs.connections import ClusterProfile, PasswordDecryptor
from jobs.encryption import DecryptionError
from weir.clusters.models import Cluster
from weir.clusters.services.clients import admin
from weir.clusters.services.clusters import profile_of
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.clusters")
TIMEOUT_S: Final = 4.0
MAX_S: Final = 20.0  # for the disks of all brokers of a cluster, and again for its certificates
_NO_CHECK_TIME: Final = ssl.VerifyFlags(0x200000)  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What was found; None: not known.

    Attributes:
        disk_used_share: of the fullest folder of logs of any broker, 0 to 1. Brokers tell since Kafka 3.3, to
            users who may describe the cluster.
        certificate_expires_at: when the first of the certificates ends that the servers show or that the
            profile trusts, in the past where one has ended; None also without TLS, and where a server does
            not answer.
    """

    disk_used_share: float | None = None
    certificate_expires_at: datetime | None = None


def read_upkeep(rows: Sequence[Cluster]) -> None:
    """Ask clusters at once, and store what they say. What is not known any more is stored as that."""
    with ThreadPoolExecutor(min(16, len(rows)), thread_name_prefix="upkeep") as pool:
        for row, found in zip(rows, pool.map(_read, rows), strict=True):
            Cluster.objects.filter(pk=row.pk, revision=row.revision).update(
                disk_used_share=found.disk_used_share, certificate_expires_at=found.certificate_expires_at
            )


def _read(row: Cluster) -> Upkeep:
    try:
        return upkeep_of(profile_of(row))
    except (ServiceError, DecryptionError, KafkaException):
        return Upkeep()
    except Exception:  # noqa: BLE001 - what a peer that speaks no Kafka makes of a decoder is anything
        _LOG.exception("a cluster's upkeep could not be read", cluster=row.pk)
        return Upkeep()


def upkeep_of(profile: ClusterProfile) -> Upkeep:
    """Ask a cluster.

    Raises:
        ServiceError: it may not be used.
        KafkaException: it does not answer.
        DecryptionError: its password can't be decrypted.
    """
    # The admin client comes first: it checks where the cluster leads.
    metadata = admin(profile).list_topics("__consumer_offsets", timeout=TIMEOUT_S)
    brokers = [(str(broker.host), broker.port) for broker in metadata.brokers.values()]
    return Upkeep(_disk_used(profile, brokers), _first_end(profile, brokers) if profile.tls else None)


def _disk_used(profile: ClusterProfile, brokers: Iterable[Endpoint]) -> float | None:
    """The greatest share of all brokers; None where one of them does not tell: it may be the full one."""
    from jobs.kafka_python import DescribeLogDirsRequest, KafkaError  # noqa: PLC0415
    from jobs.kafka_request import send_request  # noqa: PLC0415

    password = PasswordDecryptor(settings.ENCRYPTION_KEY_FILE).password(profile)
    shares: list[float] = []
    until = time.monotonic() + MAX_S
    for host, port in brokers:
        if time.monotonic() > until:
            return None
        options = client_options(profile, password, host, port)
        try:
            answer = send_request(DescribeLogDirsRequest(topics=[]), options, int(TIMEOUT_S * 1_000))
        except (KafkaError, OSError):
            return None
        found = [_share(folder) for folder in answer.results]
        if not found or None in found:
            return None
        shares += [share for share in found if share is not None]
    return max(shares, default=None)


def _share(folder: Any) -> float | None:
    total, usable = getattr(folder, "total_bytes", -1), getattr(folder, "usable_bytes", -1)
    return 1 - usable / total if not folder.error_code and total > 0 and usable >= 0 else None


def _first_end(profile: ClusterProfile, brokers: Iterable[Endpoint]) -> datetime | None:
    """When the first certificate ends of those that the bootstrap servers and the brokers show, and that the
    profile trusts. None where a server does not tell, since its own may be the first, unless one has ended.
    """
    context = ssl.create_default_context(cadata=profile.ca or None)
    ends = [_end(each) for each in context.get_ca_certs()] if profile.ca else []
    context.verify_flags |= _NO_CHECK_TIME  # an expired one is read, too; nothing is sent
    until = time.monotonic() + MAX_S
    is_known = True
    for server in dict.fromkeys([*endpoints_of(profile.bootstrap), *brokers]):
        shown = _shown(context, server) if time.monotonic() < until else None
        if shown is None:
            is_known = False
        else:
            ends.append(_end(shown))
    first = min(ends, default=None)
    if first is None or not (is_known or first <= time.time()):
        return None
    return datetime.fromtimestamp(first, UTC)


def _shown(context: ssl.SSLContext, server: Endpoint) -> Any:
    """The certificate of a server; None if it does not answer, or may not be believed."""
    host, port = server
    try:
        with (
            connect(resolve(host, port), port, TIMEOUT_S) as opened,
            context.wrap_socket(opened, server_hostname=host) as secured,
        ):
            return secured.getpeercert()
    except OSError:
        return None


def _end(certificate: Any) -> float:
    return ssl.cert_time_to_seconds(str(certificate["notAfter"]))
