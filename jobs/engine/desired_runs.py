"""Reads `weir.runs`: first the latest record of each run, then every change."""

import logging
import threading
from collections.abc import Iterator
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition
from pydantic import BaseModel, ValidationError

from jobs.connections import ClusterProfile, librdkafka_options
from jobs.kafka_messages import RUNS_TOPIC, DesiredRun

POLL_TIMEOUT_S: Final = 0.5

log = logging.getLogger(__name__)

Change = tuple[str, DesiredRun | None]


class DesiredRuns:
    """A reader of the compacted topic of desired runs.

    Offsets are never committed: every start reads from the beginning.
    """

    def __init__(self, home: ClusterProfile, engine_id: str) -> None:
        self._home = home
        self._options = {
            **librdkafka_options(home),
            "group.id": f"weir-engine-{engine_id}",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 500,
            "reconnect.backoff.max.ms": 1000,
            "topic.metadata.refresh.interval.ms": 5000,
            "log_level": 2,
        }
        self._consumer = self._from_beginning()
        # The latest record of each run, until the end of the topic is reached.
        self._latest: dict[bytes, Message] = {}
        self._topic_id: str | None = None
        self._recreated = threading.Event()
        self.complete = False

    def set_topic_id(self, topic_id: str) -> None:
        """Set Kafka's id of the topic, from any thread.

        When it changes, the topic was recreated and is read from its beginning.

        The consumer may not notice by itself: it keeps its offset when the new topic has as many records, and
        librdkafka 2.15 may take the new leader epoch for an outdated one after a broker restart, and then
        silently reads nothing.
        """
        if self._topic_id not in (None, topic_id):
            self._recreated.set()
        self._topic_id = topic_id

    def changes(self) -> Iterator[Change]:
        """The next changes, after at most half a second; none before the end of the topic is reached once,
        because a partial list of runs would be misleading.
        """
        if self._recreated.is_set():
            self._recreated.clear()
            log.warning("%s was recreated and is read from its beginning", RUNS_TOPIC)
            self._consumer.close()
            self._consumer = self._from_beginning()
        message = self._consumer.poll(POLL_TIMEOUT_S)
        while message is not None:
            yield from self._read(message)
            message = self._consumer.poll(0)

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()

    def _from_beginning(self) -> Consumer:
        consumer = Consumer(self._options)
        consumer.assign([TopicPartition(RUNS_TOPIC, 0, OFFSET_BEGINNING)])
        return consumer

    def _read(self, message: Message) -> Iterator[Change]:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:
                yield from self._reached_end()
            elif error.code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION):
                log.debug("%s is not there yet", RUNS_TOPIC)
            elif error.fatal():
                raise KafkaException(error)
            return
        if self.complete:
            yield from self._changed(message)
            return
        key = message.key() or b""
        if not _is_outdated(message, self._latest.get(key)):
            self._latest[key] = message

    def _reached_end(self) -> Iterator[Change]:
        if not self.complete:
            self.complete = True
            latest, self._latest = self._latest, {}
            for message in latest.values():
                yield from self._changed(message)

    def _changed(self, message: Message) -> Iterator[Change]:
        change = _parse(message)
        if change is not None:
            yield change[0], None if change[1] is None else _at_home(change[1], self._home)


def _at_home(run: DesiredRun, home: ClusterProfile) -> DesiredRun:
    """The run with the engine's own connection to the home cluster; the record may hold another one."""
    sources = {
        name: source.model_copy(update={"cluster": home})
        if source.cluster.cluster_id == home.cluster_id
        else source
        for name, source in run.sources.items()
    }
    return run.model_copy(update={"sources": sources})


class _Version(BaseModel):
    epoch: int
    revision: int


def _is_outdated(message: Message, before: Message | None) -> bool:
    """Whether a record of the same run is newer although it was written before: two published at the same
    time. What is read later is held against what was (`jobs.engine.controller`).
    """
    if before is None:
        return False
    try:
        new, old = (_Version.model_validate_json(each.value() or b"") for each in (message, before))
    except ValidationError:  # a tombstone, or no run
        return False
    return (new.epoch, new.revision) < (old.epoch, old.revision)


def _parse(message: Message) -> Change | None:
    key, value = message.key(), message.value()
    run_id = key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
    if value is None:
        return run_id, None
    try:
        return run_id, DesiredRun.model_validate_json(value)
    except ValidationError as error:
        log.warning("%s: record %s is not a desired run: %s", RUNS_TOPIC, message.offset(), error)
        return None
