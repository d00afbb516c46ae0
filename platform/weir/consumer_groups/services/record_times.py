"""Reads the timestamps of single records, a few per pass."""

import time
from collections.abc import Iterable
from typing import Any, Final

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, TopicPartition

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import consumer
from weir.clusters.services.reachability import translate_errors
from weir.consumer_groups.services.group_reading import Partition

BUDGET: Final = 32  # records per pass and cluster
_SECONDS: Final = 1.5
_FETCH_BYTES: Final = 16_384  # a larger batch is sent whole, and nothing after it


class RecordTimes:
    """One consumer for one cluster; the caller closes it.

    Args:
        profile: of the cluster.
    """

    def __init__(self, profile: ClusterProfile) -> None:
        self._profile = profile
        self._consumer: Any = None

    def read(self, wanted: Iterable[tuple[Partition, int]]) -> dict[tuple[Partition, int], int]:
        """Timestamps in µs of the records at these offsets, or of the first after a gap; those that do
        not come in time, or may not be read, are left out.

        Args:
            wanted: one record per partition.

        Raises:
            ServiceError: the cluster may not be used, or does not answer.
        """
        waiting = dict(wanted)
        if not waiting:
            return {}
        with translate_errors(self._profile):
            return self._read(waiting)

    def _read(self, waiting: dict[Partition, int]) -> dict[tuple[Partition, int], int]:
        if self._consumer is None:
            self._consumer = consumer(
                self._profile,
                auto_offset_reset="latest",
                enable_partition_eof=False,
                max_partition_fetch_bytes=_FETCH_BYTES,
                queued_max_messages_kbytes=1_024,
            )
        self._consumer.assign(
            [TopicPartition(topic, partition, offset) for (topic, partition), offset in waiting.items()]
        )
        found: dict[tuple[Partition, int], int] = {}
        until = time.monotonic() + _SECONDS
        while waiting and (left := until - time.monotonic()) > 0:
            for message in self._consumer.consume(500, min(left, 0.2)):
                at = message.topic() or "", message.partition()
                offset = waiting.pop(at, None)
                if message.error() is None and offset is not None:
                    kind, at_ms = message.timestamp()
                    if kind != TIMESTAMP_NOT_AVAILABLE:
                        found[at, offset] = at_ms * 1000
        self._consumer.unassign()
        return found

    def close(self) -> None:
        """Close the consumer; the next read makes another."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None
