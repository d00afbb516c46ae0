"""A short read of a result topic, for a cursor that is older than the recent changes in memory."""

import time
from typing import Final

from confluent_kafka import KafkaError, Message, TopicPartition

from weir.clusters.services.clients import consumer, home_profile
from weir.live.changes import Change, change_of
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecordError, read_record

MAX_BYTES: Final = 32 * 1024 * 1024  # read, before compaction
MAX_S: Final = 20.0


class TooFarError(Exception):
    """The range is longer than a short read; a snapshot is cheaper."""


def read_range(topic: str, starts: dict[int, int], ends: dict[int, int], fence: Fence) -> list[Change]:
    """The newest change per key between two positions, in the order of the log. Blocks; call it on a thread.

    Args:
        topic: a result topic of the home cluster.
        starts: partition → first offset; a partition that is missing starts at 0.
        ends: partition → offset to stop before.
        fence: rejects rows of engines that were replaced before the range; changed.

    Raises:
        TooFarError: more than 32 MiB, or 20 s.
        KafkaException: the broker reports an error.
    """
    left = {partition: end for partition, end in ends.items() if starts.get(partition, 0) < end}
    if not left:
        return []
    client = consumer(home_profile(), fetch_wait_max_ms=20, auto_offset_reset="earliest")
    newest: dict[str, Change] = {}
    size, deadline = 0, time.monotonic() + MAX_S
    try:
        client.assign([TopicPartition(topic, partition, starts.get(partition, 0)) for partition in left])
        while left:
            for message in client.consume(1_000, 0.05):
                size += _take(message, left, newest, fence)
            if size > MAX_BYTES or time.monotonic() > deadline:
                raise TooFarError
    finally:
        client.close()
    return list(newest.values())


def _take(message: Message, left: dict[int, int], newest: dict[str, Change], fence: Fence) -> int:
    """Merge one record; a partition that has reached its end is removed from `left`.
    Returns the record's size.
    """
    partition, offset, error = message.partition() or 0, message.offset() or 0, message.error()
    end = left.get(partition)
    if end is None:
        return 0
    if error is not None:
        # The end of the partition: its last record was compacted away. Other errors are transient,
        # or end at the deadline.
        if error.code() == KafkaError._PARTITION_EOF:
            del left[partition]
        return 0
    if offset + 1 >= end:
        del left[partition]
    if offset < end:
        _fold(message, newest, fence)
    return len(message.value() or b"") + len(message.key() or b"")


def _fold(message: Message, newest: dict[str, Change], fence: Fence) -> None:
    try:
        record = read_record(message)
    except ResultRecordError:
        return
    if not fence.admits(record.partition, record.epoch, record.timestamp_ms):
        return
    newest.pop(record.key, None)
    newest[record.key] = change_of(record)
