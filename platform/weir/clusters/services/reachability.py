"""Whether a cluster answers, and what the API says where it does not."""

from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from hashlib import sha256
from typing import Final

from confluent_kafka import KafkaError, KafkaException
from django.conf import settings
from django.core.cache import cache

from jobs.cluster_probe import ProbeError, probe
from jobs.connections import BOUNDED_ANSWERS, ClusterProfile, PasswordDecryptor
from jobs.encryption import DecryptionError
from weir.clusters.services.clients import admin
from weir.workspaces.errors import ForbiddenByKafkaError, NotFoundError, ServiceError, UnreachableError

TIMEOUT_S: Final = 4.0


_DOWN_TTL_S: Final = 2  # after a cluster did not answer, other calls fail at once


_FORBIDDEN: Final = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
)
_DOWN: Final = (
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TIMED_OUT,
    KafkaError._RESOLVE,
)


MISSING_TOPIC: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._NOENT)


@contextmanager
def translate_errors(profile: ClusterProfile) -> Iterator[None]:
    """Translate the client's errors into service errors; while a cluster is known to be down, fail at once.

    Raises:
        UnreachableError: no answer in time.
        NotFoundError: no such topic.
        ForbiddenByKafkaError: the cluster's user may not do this.
        ServiceError: the cluster rejected the request.
    """
    key = _down_key(profile)
    if cache.get(key):
        raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} is unreachable.")
    try:
        yield
    except FutureTimeoutError as error:
        cache.set(key, True, _DOWN_TTL_S)
        raise UnreachableError(
            "BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} timed out."
        ) from error
    except BufferError as error:  # of a producer
        raise UnreachableError(
            "BROKER_UNREACHABLE", f"Too many records wait for Kafka cluster {profile.bootstrap}."
        ) from error
    except KafkaException as error:
        cause = error.args[0]
        if cause.code() in MISSING_TOPIC:
            raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.") from error
        if cause.code() in _FORBIDDEN:
            raise ForbiddenByKafkaError(
                "FORBIDDEN_BY_KAFKA",
                f"Kafka cluster {profile.bootstrap} doesn't let user {profile.username or 'anonymous'} do "
                f"this ({cause.str().removesuffix('.')}). Give it the right, or connect as another user.",
            ) from error
        if cause.code() == KafkaError._BAD_MSG:
            raise ServiceError(
                "BROKER_REJECTED",
                f"Kafka cluster {profile.bootstrap} sent an answer that is too large "
                f"(above {BOUNDED_ANSWERS['receive.message.max.bytes'] >> 20} MiB) or isn't Kafka's. "
                "Let its user describe fewer topics.",
            ) from error
        if cause.code() in _DOWN:
            cache.set(key, True, _DOWN_TTL_S)
        if cause.code() in _DOWN or cause.retriable():
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap}: {cause.str()}"
            ) from error
        raise ServiceError("BROKER_REJECTED", f"Kafka rejected the request: {cause.str()}") from error


def _down_key(profile: ClusterProfile) -> str:
    """Cache key of a connection. It includes the password: a wrong one says nothing about the right one."""
    return f"cluster-down:{sha256(profile.model_dump_json().encode()).hexdigest()}"


def reachable(profile: ClusterProfile, timeout_s: float = 2.0) -> str:
    """Request the cluster's metadata. Returns an empty text if it answered, else the error."""
    try:
        admin(profile).list_topics(topic="__consumer_offsets", timeout=timeout_s)
    except KafkaException as error:
        return _user_refused(profile, timeout_s) or str(error.args[0].str())
    except ServiceError as error:
        return error.detail
    cache.delete(_down_key(profile))
    return ""


def _user_refused(profile: ClusterProfile, timeout_s: float) -> str:
    """Message if the cluster rejects the user, which librdkafka reports as a transport failure;
    empty if not, or if unknown.
    """
    if not profile.sasl:
        return ""
    try:
        probe(profile, PasswordDecryptor(settings.ENCRYPTION_KEY_FILE), timeout_s)
    except ProbeError as error:
        return refusal(profile, error)
    except DecryptionError as error:
        return str(error)
    return ""


def refusal(profile: ClusterProfile, error: ProbeError) -> str:
    """What to say of a cluster that did not let the profile's user in; empty if that is not the reason."""
    match error.reason:
        case "user_refused":
            reason = f"wrong name or password, or {profile.mechanism} isn't set up for it"
            return f"The cluster rejected user {profile.username!r}: {reason}."
        case "mechanism_unknown":
            return f"The cluster doesn't support {profile.mechanism}. {error}"
        case "closed":
            return (
                f"The cluster closed the connection while user {profile.username!r} signed in: wrong name or "
                "password, or it is restarting."
            )
        case _:
            return ""
