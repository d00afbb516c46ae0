"""What is used of kafka-python: the only module that imports it.

Its modules import each other in circles. Of two threads that import different ones of them at the same time,
one may get a module that is half made, and keep it until the process ends; this module is imported by one
thread while the others wait. Import it only where a request is sent: it takes a third of a second.
"""

from kafka.admin import UserScramCredentialUpsertion
from kafka.errors import (
    IncompatibleBrokerVersion,
    KafkaError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)
from kafka.net import KafkaConnectionManager, NetworkSelector
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
