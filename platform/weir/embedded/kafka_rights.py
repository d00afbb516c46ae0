"""Completes the access of a running broker: the password of Weir's user, and the ACLs of other tools."""

import time
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from jobs.base.topic_names import KAFKA_PREFIX, SYSTEM_PREFIX
from weir.embedded.kafka_access import MECHANISM, USER, KafkaAccess
from weir.embedded.kafka_node import KafkaNode

_REQUEST_TIMEOUT_S: Final = 5.0
_ACL_TIMEOUT_S: Final = 60.0  # not repeated
_ANONYMOUS: Final = "User:ANONYMOUS"
_MIRROR_GROUP_PREFIX: Final = "weir."  # mirror groups, which any tool may describe
_OWN_GROUP_PREFIX: Final = "weir-"


def complete_access(node: KafkaNode, deadline_s: float = 60.0) -> None:
    """Wait until a node's user can sign in, then create the ACLs of its open listener.

    The user is created here when the storage was formatted before it had one, or when its password file was
    lost.

    Args:
        node: running.
        deadline_s: for everything, s.

    Raises:
        RuntimeError: timed out, or Kafka rejected a request; the message has the reason.
    """
    if node.access is None:
        return
    until, is_password_set = time.monotonic() + deadline_s, False
    while denial := _sign_in_error(node.access):
        if denial.code() == KafkaError._AUTHENTICATION and not is_password_set:
            _set_password(node.access, node.controller_port)
            is_password_set = True
        elif time.monotonic() > until:
            raise RuntimeError(f"Kafka denies Weir access: {denial.str()}")
        time.sleep(0.1)
    if not node.access.is_open:
        return
    client = AdminClient(_quiet(node.access))
    for future in client.create_acls(open_rights(), request_timeout=_ACL_TIMEOUT_S).values():
        try:
            future.result()
        except KafkaException as error:
            raise RuntimeError(
                f"Kafka rejected the access rules of its open listener: {error.args[0].str()}"
            ) from error


def open_rights() -> list[AclBinding]:
    """The ACLs of anonymous clients: ordinary topics and groups, but not Weir's, Kafka's, nor the broker.

    Kafka denies an operation when any rule denies it, or when no rule allows it.
    """
    allow, deny = AclPermissionType.ALLOW, AclPermissionType.DENY
    topic, group, transaction = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
    everything = AclOperation.ALL
    return [
        *(
            _rule(kind, "*", ResourcePatternType.LITERAL, everything, allow)
            for kind in (topic, group, transaction)
        ),
        _rule(
            ResourceType.BROKER,
            "kafka-cluster",
            ResourcePatternType.LITERAL,
            AclOperation.IDEMPOTENT_WRITE,
            allow,
        ),
        *(
            _rule(topic, prefix, ResourcePatternType.PREFIXED, everything, deny)
            for prefix in (SYSTEM_PREFIX, KAFKA_PREFIX)
        ),
        # Metric names equate "." and "_": a topic weir_x would prevent the creation of weir.x.
        _rule(topic, "weir_", ResourcePatternType.PREFIXED, AclOperation.CREATE, deny),
        *(
            _rule(group, _MIRROR_GROUP_PREFIX, ResourcePatternType.PREFIXED, each, deny)
            for each in (AclOperation.READ, AclOperation.DELETE)
        ),
        _rule(group, _OWN_GROUP_PREFIX, ResourcePatternType.PREFIXED, everything, deny),
        _rule(transaction, "weir", ResourcePatternType.PREFIXED, everything, deny),
    ]


def _rule(
    kind: ResourceType,
    name: str,
    pattern: ResourcePatternType,
    operation: AclOperation,
    permission: AclPermissionType,
) -> AclBinding:
    return AclBinding(kind, name, pattern, _ANONYMOUS, "*", operation, permission)


def _set_password(access: KafkaAccess, controller_port: int) -> None:
    """Create the user or set its password, through the controller: nobody can sign in to the broker yet."""
    # Seldom needed, and half a second of each `make run`.
    from jobs.kafka_python import (  # noqa: PLC0415
        AlterUserScramCredentialsRequest,
        UserScramCredentialUpsertion,
    )
    from jobs.kafka_request import send_request  # noqa: PLC0415

    credential = UserScramCredentialUpsertion(USER, MECHANISM, access.password_file.read_text())
    request = AlterUserScramCredentialsRequest(
        deletions=[],
        upsertions=[
            (
                credential.user,
                int(credential.mechanism),
                credential.iterations,
                credential.salt,
                credential.salted_password,
            )
        ],
    )
    timeout_ms = int(_REQUEST_TIMEOUT_S * 1000)
    (result,) = send_request(request, access.controller_client(controller_port), timeout_ms).results
    if result.error_code:
        raise RuntimeError(f"Kafka rejected Weir's password: {result.error_message}")


def _sign_in_error(access: KafkaAccess) -> KafkaError | None:
    """The error of an attempt to sign in; None when it succeeds."""
    reported: list[KafkaError] = []
    options: dict[str, Any] = {**_quiet(access), "error_cb": reported.append}
    client = AdminClient(options)
    try:
        client.list_topics("__consumer_offsets", timeout=_REQUEST_TIMEOUT_S)
    except KafkaException as error:
        client.poll(0)  # a wrong password is reported to the callback only
        denied = [each for each in reported if each.code() == KafkaError._AUTHENTICATION]
        return denied[0] if denied else error.args[0]
    return None


def _quiet(access: KafkaAccess) -> dict[str, Any]:
    return {**access.client_options, "log_level": 0}
