"""One cluster: reads its groups, concludes, writes."""

import logging
import time
from typing import Any, Final

from confluent_kafka import KafkaException
from django.db import DatabaseError, close_old_connections, connections

from jobs.connections import ClusterProfile
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.cluster_reader import ClusterReader
from weir.consumer_groups.services.cluster_state import ClusterState, TopicLag
from weir.consumer_groups.services.conclusion_queue import ConclusionQueue
from weir.consumer_groups.services.group_reading import Partition
from weir.consumer_groups.services.group_rows import (
    LeaseLostError,
    group_json,
    store_failure,
    store_pass,
    stored_groups,
)
from weir.consumer_groups.services.record_times import BUDGET, RecordTimes
from weir.consumer_groups.services.topic_retention import TopicRetention
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
INTERVAL_S: Final = 3.0
_SHARE: Final = 15  # a pass takes at most this part of the time between two, without what it only waits for
_MAX_INTERVAL_S: Final = 60.0


class ClusterPass:
    """Watches one cluster while this process has its lease. For one thread at a time.

    Args:
        profile: of the cluster.
        holder: names this process.
    """

    def __init__(self, profile: ClusterProfile, holder: str) -> None:
        self.profile = profile
        self.next_s = 0.0  # monotonic
        self._waited_s = 0.0  # for timestamps of records, in the newest pass
        self._holder = holder
        self._reader = ClusterReader(profile)
        self._retention = TopicRetention(profile)
        self._records = RecordTimes(profile)
        self._state = ClusterState()
        self._queue = ConclusionQueue()
        self._stored: dict[str, tuple[Any, ...]] = {}

    def run(self) -> None:
        """One pass. What goes wrong is stored for people to see, and logged."""
        began_s = time.monotonic()
        self._waited_s = 0.0
        close_old_connections()
        try:
            self._run(began_s)
        except (ServiceError, KafkaException) as error:
            _LOG.info("consumer groups of cluster %s: %s", self.profile.cluster_id, error)
            self._fail(str(error))
        except LeaseLostError:
            _LOG.info("cluster %s is watched by another process", self.profile.cluster_id)
        except DatabaseError as error:
            _LOG.warning("consumer groups of cluster %s: the database: %s", self.profile.cluster_id, error)
            connections.close_all()
        except Exception as error:  # noqa: BLE001 - what a peer that speaks other Kafka makes of a decoder is anything
            _LOG.exception("consumer groups of cluster %s", self.profile.cluster_id)
            self._reader.close()
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            self.next_s = began_s + self._interval_s(time.monotonic() - began_s)
            close_old_connections()

    def _fail(self, error: str) -> None:
        try:
            store_failure(self.profile.cluster_id, self._holder, error)
        except DatabaseError as other:
            _LOG.warning("consumer groups: the database: %s", other)

    def _run(self, began_s: float) -> None:
        read = self._reader.read()
        # people delete groups between two passes, and a group may have committed again since
        stored = stored_groups(self.profile.cluster_id)
        self._state.apply(read)
        changed = [
            group
            for group in read.groups.values()
            if group.name not in stored or self._stored.get(group.name) != _facts(group)
        ]
        # members are stored by position, so that their partitions are written with them
        moved = self._state.committed | {group.name for group in changed}
        names = self._queue.choose(read, self._state.changed, moved) | {group.name for group in changed}
        topics = self._state.topics(read, self._retention.of(_lagging(self._state)), names)
        topics = self._with_record_times(read, topics)
        took_s = time.monotonic() - began_s
        store_pass(
            self.profile.cluster_id,
            self._holder,
            read,
            topics,
            changed,
            int(took_s * 1000),
            int(self._interval_s(took_s) * 1000),
        )
        # What could not be stored is concluded on again, though nothing about it changes any more.
        self._queue.concluded(topics, read.at_us, self._state.waiting(read, topics))
        self._stored = {group.name: _facts(group) for group in read.groups.values()}

    def _with_record_times(
        self, read: ClusterRead, topics: dict[str, list[TopicLag]]
    ) -> dict[str, list[TopicLag]]:
        """Conclude again for the groups whose records were read."""
        listed = [each for found in topics.values() for each in found]
        wanted = self._state.wanted_records(listed, BUDGET, read.at_us)
        if not wanted:
            return topics
        found: dict[tuple[Partition, int], int] = {}
        began_s = time.monotonic()
        try:
            found = self._records.read(wanted)
        except (ServiceError, KafkaException) as error:
            _LOG.info("timestamps on cluster %s: %s", self.profile.cluster_id, error)
            self._records.close()
        self._waited_s = time.monotonic() - began_s
        self._state.learn_records(wanted, found, read.at_us)
        if not found:
            return topics
        read_again = {(topic, number) for (topic, number), _ in found}
        groups = {
            each.group
            for each in listed
            if any((each.topic, part.partition) in read_again for part in each.partitions)
        }
        return topics | self._state.topics(read, self._retention.of(_lagging(self._state)), groups)

    def _interval_s(self, took_s: float) -> float:
        return min(max(INTERVAL_S, _SHARE * (took_s - self._waited_s)), _MAX_INTERVAL_S)

    def close(self) -> None:
        """Close all connections."""
        self._reader.close()
        self._records.close()


def _facts(group: GroupRead) -> tuple[Any, ...]:
    return group.state, group.protocol, group.denied, repr(group_json(group))


def _lagging(state: ClusterState) -> set[str]:
    """Topics in which some group is behind."""
    return {
        topic
        for tracks in state.tracks.values()
        for (topic, _), track in tracks.items()
        if track.waiting_since_us is not None
    }
