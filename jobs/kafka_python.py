"""What is used of kafka-python: the only module that imports it.

Its modules import each other in circles. Of two threads that import different ones of them at the same time,
one may get a module that is half made, and keep it until the process ends; this module is imported by one
thread while the others wait. Import it only where a request is sent: it takes a third of a second.
"""

from typing import Any

from kafka.admin import UserScramCredentialUpsertion
from kafka.errors import (
    IncompatibleBrokerVersion,
    InvalidReceiveError,
    KafkaError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)
from kafka.net import KafkaConnectionManager as _KafkaConnectionManager
from kafka.net import NetworkSelector
from kafka.protocol.admin import (
    AlterUserScramCredentialsRequest,
    DescribeGroupsRequest,
    DescribeLogDirsRequest,
    ListGroupsRequest,
)
from kafka.protocol.consumer import ListOffsetsRequest, OffsetFetchRequest
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment
from kafka.protocol.metadata import MetadataRequest

__all__ = [
    "AlterUserScramCredentialsRequest",
    "ConsumerProtocolAssignment",
    "DescribeGroupsRequest",
    "DescribeLogDirsRequest",
    "IncompatibleBrokerVersion",
    "InvalidReceiveError",
    "KafkaConnectionManager",
    "KafkaError",
    "ListGroupsRequest",
    "ListOffsetsRequest",
    "MetadataRequest",
    "NetworkSelector",
    "OffsetFetchRequest",
    "SaslAuthenticationFailedError",
    "UnsupportedSaslMechanismError",
    "UserScramCredentialUpsertion",
]


class KafkaConnectionManager(_KafkaConnectionManager):  # type: ignore[misc]  # kafka-python has no types
    """kafka-python's, whose connections also deliver what a peer sent right before it closed them.

    kafka-python 3.0 drops bytes that arrive together with the end of a connection. A broker that rejects a
    user says so and closes the connection, so a wrong password would look like a broker that went away.
    """

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        transport = await super()._build_transport(node, timeout_at=timeout_at)
        receive = transport._sock_recv

        def received() -> tuple[bytes, Exception | None]:
            data, error = receive()
            return data, None if data else error  # the next read finds the end again

        transport._sock_recv = received
        return transport
