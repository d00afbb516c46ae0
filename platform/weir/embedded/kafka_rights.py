"""Bringing a running broker to what `kafka_access` says: Weir's user can sign in, and people's own tools have their rights."""

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
from kafka.admin import UserScramCredentialUpsertion
from kafka.protocol.admin import AlterUserScramCredentialsRequest

from jobs.base.topic_names import KAFKA_PREFIX, SYSTEM_PREFIX
from jobs.kafka_request import send_request
from weir.embedded.kafka_access import MECHANISM, USER, KafkaAccess
from weir.embedded.kafka_node import KafkaNode

_ASK_SECONDS: Final = 5.0
_ANYBODY: Final = "User:ANONYMOUS"
_MIRRORS: Final = "weir."  # groups that show to every tool how far jobs have come
_OWN_GROUPS: Final = "weir-"


def complete_access(node: KafkaNode, deadline_s: float = 60.0) -> None:
    """Wait until the user of a node that runs can sign in, and give everybody else what is theirs.

    Storage that was formatted before there was a user, or whose password file was lost, gets the user here.

    Args:
        node: with `access`, started.
        deadline_s: how long all of it may take, s.

    Raises:
        RuntimeError: it does not become so in time; says why.
    """
    if node.access is None:
        return
    until, is_given = time.monotonic() + deadline_s, False
    while trouble := _trouble(node.access):
        if trouble.code() == KafkaError._AUTHENTICATION and not is_given:
            _give_password(node.access, node.controller_port)
            is_given = True
        elif time.monotonic() > until:
            raise RuntimeError(f"Kafka denies Weir access: {trouble.str()}")
        time.sleep(0.1)
    if not node.access.is_open:
        return
    client = AdminClient(_quiet(node.access))
    for future in client.create_acls(open_rights(), request_timeout=_ASK_SECONDS).values():
        try:
            future.result()
        except KafkaException as error:
            raise RuntimeError(f"Kafka rejected the access rules of its open listener: {error.args[0].str()}") from error


def open_rights() -> list[AclBinding]:
    """What who has no user may do: all with ordinary topics and groups, nothing with those of Weir and of Kafka, nothing with the broker.

    Where one rule allows and another denies, Kafka denies; where none speaks, too.
    """
    allow, deny = AclPermissionType.ALLOW, AclPermissionType.DENY
    topic, group, transaction = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
    everything = AclOperation.ALL
    return [
        *(_rule(kind, "*", ResourcePatternType.LITERAL, everything, allow) for kind in (topic, group, transaction)),
        _rule(ResourceType.BROKER, "kafka-cluster", ResourcePatternType.LITERAL, AclOperation.IDEMPOTENT_WRITE, allow),
        *(_rule(topic, prefix, ResourcePatternType.PREFIXED, everything, deny) for prefix in (SYSTEM_PREFIX, KAFKA_PREFIX)),
        # Kafka takes "." and "_" for the same where it counts, and one of weir_x would keep weir.x from being made.
        _rule(topic, "weir_", ResourcePatternType.PREFIXED, AclOperation.CREATE, deny),
        *(_rule(group, _MIRRORS, ResourcePatternType.PREFIXED, each, deny) for each in (AclOperation.READ, AclOperation.DELETE)),
        _rule(group, _OWN_GROUPS, ResourcePatternType.PREFIXED, everything, deny),
        _rule(transaction, "weir", ResourcePatternType.PREFIXED, everything, deny),
    ]


def _rule(
    kind: ResourceType, name: str, pattern: ResourcePatternType, operation: AclOperation, permission: AclPermissionType
) -> AclBinding:
    return AclBinding(kind, name, pattern, _ANYBODY, "*", operation, permission)


def _give_password(access: KafkaAccess, controller_port: int) -> None:
    """Make the user, or give it the password of the file: said to the controller, because brokers believe only who has signed in."""
    wanted = UserScramCredentialUpsertion(USER, MECHANISM, access.password_file.read_text())
    request = AlterUserScramCredentialsRequest(
        deletions=[], upsertions=[(wanted.user, int(wanted.mechanism), wanted.iterations, wanted.salt, wanted.salted_password)]
    )
    (result,) = send_request(request, access.controller_client(controller_port), int(_ASK_SECONDS * 1000)).results
    if result.error_code:
        raise RuntimeError(f"Kafka rejected Weir's password: {result.error_message}")


def _trouble(access: KafkaAccess) -> KafkaError | None:
    """Why the user cannot sign in; None: it can."""
    seen: list[KafkaError] = []
    options: dict[str, Any] = {**_quiet(access), "error_cb": seen.append}
    client = AdminClient(options)
    try:
        client.list_topics("__consumer_offsets", timeout=_ASK_SECONDS)
    except KafkaException as error:
        client.poll(0)  # what is wrong with the password is told to the callback only
        refused = [each for each in seen if each.code() == KafkaError._AUTHENTICATION]
        return refused[0] if refused else error.args[0]
    return None


def _quiet(access: KafkaAccess) -> dict[str, Any]:
    return {**access.client_options, "log_level": 0}
