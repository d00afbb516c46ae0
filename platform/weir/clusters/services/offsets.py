"""Start and end offsets of topics."""

import time
from collections.abc import Iterable

from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.connections import ClusterProfile
from jobs.kafka_errors import LEADERLESS, OF_ONE_TOPIC, STALE_METADATA, offset_result
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import MISSING_TOPIC, TIMEOUT_S, translate_errors
from weir.workspaces.errors import UnreachableError


def at_or_after(at_ms: int) -> OffsetSpec:
    """Asks for the first record at or after an instant.

    Args:
        at_ms: in ms since 1970; every record is after an earlier one, for which Kafka has no number: -1 to -3
            ask it for something else.
    """
    found: OffsetSpec = OffsetSpec.for_timestamp(max(0, at_ms))
    return found


def offsets(
    profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec], *, committed: bool = False
) -> dict[tuple[str, int], int]:
    """Offsets by (topic, partition): earliest, latest, or of the first record at or after a timestamp.

    For a partition without a record at or after the timestamp, the offset is -1.

    Args:
        profile: of the cluster.
        specs: what to ask of each partition.
        committed: as in `watermarks`.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: no answer in time.
    """
    if not specs:
        return {}
    with translate_errors(profile):
        return _list_offsets(profile, specs, committed=committed)


def _list_offsets(
    profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec], *, committed: bool
) -> dict[tuple[str, int], int]:
    """List offsets, and retry while a partition has no leader, as for a moment after a topic was
    created or a broker came back.
    """
    deadline = time.monotonic() + TIMEOUT_S
    isolation = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    while True:
        found: dict[tuple[str, int], int] = {}
        asked = next(iter(specs))
        try:
            futures = admin(profile).list_offsets(specs, isolation_level=isolation, request_timeout=TIMEOUT_S)
            for asked, future in futures.items():
                found[asked.topic, asked.partition] = offset_result(future, TIMEOUT_S)
            return found
        except KafkaException as error:
            code = error.args[0].code()
            if code in LEADERLESS and time.monotonic() > deadline:
                raise UnreachableError(
                    "PARTITION_LEADERLESS",
                    f"Partition {asked.partition} of {asked.topic} has no leader, so nothing is known of its "
                    "records until one of its brokers is back.",
                ) from error
            if code not in (*LEADERLESS, *STALE_METADATA) or time.monotonic() > deadline:
                raise
            if code in STALE_METADATA:
                _refresh_leaders(profile, specs)
        time.sleep(0.05)


def _refresh_leaders(profile: ClusterProfile, partitions: Iterable[TopicPartition]) -> None:
    for topic in {partition.topic for partition in partitions}:
        admin(profile).list_topics(topic, timeout=TIMEOUT_S)


def watermarks(
    profile: ClusterProfile, topics: dict[str, int], only: int | None = None, *, committed: bool = False
) -> dict[tuple[str, int], tuple[int, int]]:
    """First and next offset of every partition.

    Args:
        profile: of the cluster.
        topics: name → number of partitions.
        only: the partition to ask for; None: all.
        committed: end at the last stable offset, before the first transaction that is still open. A consumer
            that reads committed records gets no further, so a scan up to the high watermark would wait.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: no answer in time; PARTITION_LEADERLESS: nobody leads one of the partitions.
    """
    partitions = [
        TopicPartition(name, partition)
        for name, count in topics.items()
        for partition in (range(count) if only is None else [only])
    ]
    low = offsets(profile, {partition: OffsetSpec.earliest() for partition in partitions})
    high = offsets(profile, {partition: OffsetSpec.latest() for partition in partitions}, committed=committed)
    return {partition: (low[partition], high[partition]) for partition in low}


def end_offsets(profile: ClusterProfile, partitions: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """Where what can be read of these partitions ends, as `known_offsets` finds it: records of a transaction
    that is still open are no lag, as for engines.
    """
    latest = {TopicPartition(topic, number): OffsetSpec.latest() for topic, number in partitions}
    return known_offsets(profile, latest, committed=True)


def known_offsets(
    profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec], *, committed: bool = False
) -> dict[tuple[str, int], int]:
    """Offsets by (topic, partition), in one request; see `offsets`.

    Partitions that do not exist, have no leader, or that the user may not read or the broker can't are left
    out.

    Args:
        profile: of the cluster.
        specs: what to ask of each partition.
        committed: as in `watermarks`.

    Raises:
        UnreachableError: no answer in time.
    """
    found: dict[tuple[str, int], int] = {}
    if not specs:
        return found
    outdated: list[TopicPartition] = []
    isolation = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    with translate_errors(profile):
        answers = admin(profile).list_offsets(specs, isolation_level=isolation, request_timeout=TIMEOUT_S)
        for at, future in answers.items():
            try:
                found[at.topic, at.partition] = offset_result(future, TIMEOUT_S)
            except KafkaException as error:
                code = error.args[0].code()
                if code in STALE_METADATA:
                    outdated.append(at)
                elif code not in (*MISSING_TOPIC, *LEADERLESS, *OF_ONE_TOPIC):
                    raise
        _refresh_leaders(profile, outdated)
    return found
