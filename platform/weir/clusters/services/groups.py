"""Consumer groups that Weir has created on a cluster."""

from typing import Final

from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import TIMEOUT_S

_GONE: Final = (KafkaError.GROUP_ID_NOT_FOUND,)


def delete_group(profile: ClusterProfile, group: str) -> None:
    """Delete a consumer group; one that does not exist is no error.

    Raises:
        KafkaException: a consumer uses it, or the cluster does not allow it, or does not answer in time.
        concurrent.futures.TimeoutError: no answer in time. `translate_errors` has words for both.
    """
    for future in admin(profile).delete_consumer_groups([group], request_timeout=TIMEOUT_S).values():
        try:
            future.result(TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() not in _GONE:
                raise
