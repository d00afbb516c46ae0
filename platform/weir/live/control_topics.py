"""The control topics weir.runs and weir.reports, read by every web process."""

import logging
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import KafkaException, Message
from pydantic import ValidationError

from jobs.kafka_messages import (
    REPORT,
    REPORTS_TOPIC,
    RUNS_TOPIC,
    DesiredRun,
    LogReport,
    PositionsReport,
    ProgressReport,
    Report,
)
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topics
from weir.lag.services.tracker import LagTracker
from weir.live.blocking_pool import BlockingPool
from weir.live.logs_channel import LogsChannel
from weir.live.run_registry import RunRegistry
from weir.live.shared_consumer import SharedConsumer
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
RECREATION_CHECK_INTERVAL_S: Final = 5.0  # how often topic ids are compared
BACKFILL_RECORDS: Final = (
    500  # reports: enough for every engine's last heartbeat and most runs' last positions
)


class RunsHandler:
    """weir.runs → registry and lag tracker."""

    def __init__(self, registry: RunRegistry, tracker: LagTracker) -> None:
        self._registry = registry
        self._tracker = tracker
        self.broken = False

    def read(self, messages: list[Message]) -> list[tuple[str, DesiredRun | None]]:
        """Decode on the consumer's thread; records that are not ours are left out."""
        found: list[tuple[str, DesiredRun | None]] = []
        for message in messages:
            key, value = message.key(), message.value()
            try:
                run_id = (key or b"").decode("utf-8") if isinstance(key, bytes | None) else str(key)
                found.append((run_id, None if value is None else DesiredRun.model_validate_json(value)))
            except (ValidationError, UnicodeDecodeError):
                _LOG.warning("record %s of weir.runs is not a run", message.offset())
        return found

    def take(self, batch: list[tuple[str, DesiredRun | None]]) -> None:
        """Update registry and tracker."""
        for run_id, desired in batch:
            if desired is None:
                self._tracker.unfollow(run_id)
            else:
                topics = {
                    name: (source.cluster.cluster_id, source.topic)
                    for name, source in desired.sources.items()
                }
                self._tracker.follow(run_id, desired.job_id, desired.epoch, topics)
            self._registry.apply_desired(run_id, desired)

    def lost(self, partition: int, reason: str) -> None:
        """The topic was deleted or recreated."""
        _LOG.warning("weir.runs/%s: %s", partition, reason)
        self.broken = True


class ReportsHandler:
    """weir.reports → registry, lag tracker and logs."""

    def __init__(self, registry: RunRegistry, tracker: LagTracker, logs: LogsChannel) -> None:
        self._registry = registry
        self._tracker = tracker
        self._logs = logs
        self.broken = False

    def read(self, messages: list[Message]) -> list[Report]:
        """Decode on the consumer's thread; records that are not ours are left out."""
        found: list[Report] = []
        for message in messages:
            value = message.value()
            try:
                if value is not None:
                    found.append(REPORT.validate_json(value))
            except ValidationError:
                _LOG.info("record %s of weir.reports is not a report", message.offset())
        return found

    def take(self, batch: list[Report]) -> None:
        """Update registry, tracker and logs."""
        for report in batch:
            if isinstance(report, LogReport):
                self._logs.apply(report)
            elif isinstance(report, PositionsReport | ProgressReport):
                self._tracker.apply(report)
            self._registry.apply_report(report)
        if batch:
            self._registry.on_read(min(max(report.at_us for report in batch), time.time_ns() // 1000))

    def lost(self, partition: int, reason: str) -> None:
        """The topic was deleted or recreated, or retention deleted unread reports."""
        _LOG.warning("weir.reports/%s: %s", partition, reason)
        self.broken = True


class ControlTopics:
    """Keeps both topics assigned, also when they are created late or recreated.

    Args:
        make_consumer: creates the shared consumer. It is replaced when a topic was recreated, because
            librdkafka 2.15 may take the new leader epoch for an outdated one and then silently reads nothing.
        pool: for requests to the broker.
        registry: receives every run and report.
        tracker: receives every run and every report of positions.
        logs: receives every report of log lines.
    """

    def __init__(
        self,
        make_consumer: Callable[[], SharedConsumer],
        pool: BlockingPool,
        registry: RunRegistry,
        tracker: LagTracker,
        logs: LogsChannel,
    ) -> None:
        self._make_consumer = make_consumer
        self._consumer = make_consumer()
        self._pool = pool
        self.runs = RunsHandler(registry, tracker)
        self.reports = ReportsHandler(registry, tracker, logs)
        self._following: dict[str, str] = {}  # Kafka's id by topic
        self._checked_at = time.monotonic()

    async def tick(self) -> None:
        """Assign topics that are not assigned yet. An unreachable broker is retried with the next tick."""
        if self.runs.broken or self.reports.broken or await self._topics_recreated():
            await self._reset()
        for topic, handler, backfill in (
            (RUNS_TOPIC, self.runs, None),
            (REPORTS_TOPIC, self.reports, BACKFILL_RECORDS),
        ):
            if topic not in self._following:
                await self._follow(topic, handler, backfill)

    async def close(self) -> None:
        """Stop reading."""
        await self._consumer.close()

    async def _topics_recreated(self) -> bool:
        if time.monotonic() - self._checked_at < RECREATION_CHECK_INTERVAL_S:
            return False
        self._checked_at = time.monotonic()
        try:
            found = await self._pool.run(describe_topics, home_profile(), list(self._following))
        except ServiceError as error:
            _LOG.info("%s", error)
            return False
        return any(info.topic_id != self._following[topic] for topic, info in found.items())

    async def _reset(self) -> None:
        _LOG.warning("%s or %s was recreated; both are read from scratch", RUNS_TOPIC, REPORTS_TOPIC)
        await self._consumer.close()
        self._consumer = self._make_consumer()
        self._following = {}
        self.runs.broken = self.reports.broken = False

    async def _follow(self, topic: str, handler: RunsHandler | ReportsHandler, backfill: int | None) -> None:
        try:
            topic_id, starts = await self._pool.run(_starts, topic, backfill)
            if starts:
                await self._consumer.assign(topic, starts, handler)
                self._following[topic] = topic_id
        except (ServiceError, KafkaException) as error:
            _LOG.info("%s: %s", topic, error)


def _starts(topic: str, backfill: int | None) -> tuple[str, dict[int, int]]:
    """The Kafka id of a topic and its start offsets; empty while it does not exist."""
    info = describe_topics(home_profile(), [topic]).get(topic)
    if info is None:
        return "", {}
    bounds = watermarks(home_profile(), {topic: info.partitions})
    starts = {
        partition: low if backfill is None else max(low, high - backfill)
        for (_, partition), (low, high) in bounds.items()
    }
    return info.topic_id, starts
