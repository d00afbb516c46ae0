"""weir.runs and weir.reports, followed by every web process."""

import logging
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import KafkaException, Message
from pydantic import ValidationError

from jobs.messages import REPORT, REPORTS_TOPIC, RUNS_TOPIC, DesiredRun, PositionsReport, ProgressReport, Report
from weir.clusters.clients import home_profile
from weir.clusters.topics import describe_topics, watermarks
from weir.lag.tracking import LagTracker
from weir.live.blocking_pool import BlockingPool
from weir.live.run_registry import RunRegistry
from weir.live.shared_consumer import SharedConsumer
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_SAME_S: Final = 5.0  # between two looks whether the topics are still the same
LOOK_BACK: Final = 500  # reports: enough for every engine's last heartbeat and most runs' last positions


class RunsHandler:
    """weir.runs → board and lag tracker."""

    def __init__(self, board: RunRegistry, tracker: LagTracker) -> None:
        self._board = board
        self._tracker = tracker
        self.broken = False

    def read(self, messages: list[Message]) -> list[tuple[str, DesiredRun | None]]:
        """Decode on the feed's thread; what is not ours is left out."""
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
        """Tell board and tracker."""
        for run_id, desired in batch:
            if desired is None:
                self._tracker.forget(run_id)
            else:
                topics = {name: (source.cluster.cluster_id, source.topic) for name, source in desired.sources.items()}
                self._tracker.know(run_id, desired.job_id, desired.epoch, topics)
            self._board.take_desired(run_id, desired)

    def lost(self, partition: int, reason: str) -> None:
        """The topic was deleted or made anew."""
        _LOG.warning("weir.runs/%s: %s", partition, reason)
        self.broken = True


class ReportsHandler:
    """weir.reports → board and lag tracker."""

    def __init__(self, board: RunRegistry, tracker: LagTracker) -> None:
        self._board = board
        self._tracker = tracker
        self.broken = False

    def read(self, messages: list[Message]) -> list[Report]:
        """Decode on the feed's thread; what is not ours is left out."""
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
        """Tell board and tracker."""
        for report in batch:
            if isinstance(report, PositionsReport | ProgressReport):
                self._tracker.take(report)
            self._board.take_report(report)
        if batch:
            self._board.on_read(min(max(report.at_us for report in batch), time.time_ns() // 1000))

    def lost(self, partition: int, reason: str) -> None:
        """The topic was deleted or made anew, or retention overtook us."""
        _LOG.warning("weir.reports/%s: %s", partition, reason)
        self.broken = True


class ControlTopics:
    """Keeps both topics assigned, also when they appear late or are made anew.

    Args:
        make_feed: for both; one that reads a topic that was made anew is replaced. Its client may take the new topic's leader for one of
            an earlier time (librdkafka 2.15, when the broker was restarted before), and reads nothing without saying so.
        threads: for questions to the broker.
        board: is told.
        tracker: is told.
    """

    def __init__(self, make_feed: Callable[[], SharedConsumer], threads: BlockingPool, board: RunRegistry, tracker: LagTracker) -> None:
        self._make_feed = make_feed
        self._feed = make_feed()
        self._threads = threads
        self.runs = RunsHandler(board, tracker)
        self.reports = ReportsHandler(board, tracker)
        self._following: dict[str, str] = {}  # Kafka's id by topic
        self._looked_at = time.monotonic()

    async def tick(self) -> None:
        """Assign what is missing. A broker that is away is tried again with the next tick."""
        if self.runs.broken or self.reports.broken or await self._became_others():
            await self._begin_anew()
        for topic, sink, back in ((RUNS_TOPIC, self.runs, None), (REPORTS_TOPIC, self.reports, LOOK_BACK)):
            if topic not in self._following:
                await self._follow(topic, sink, back)

    async def close(self) -> None:
        """Stop reading."""
        await self._feed.close()

    async def _became_others(self) -> bool:
        if time.monotonic() - self._looked_at < _SAME_S:
            return False
        self._looked_at = time.monotonic()
        try:
            found = await self._threads.run(describe_topics, home_profile(), list(self._following))
        except ServiceError as error:
            _LOG.info("%s", error)
            return False
        return any(facts.topic_id != self._following[topic] for topic, facts in found.items())

    async def _begin_anew(self) -> None:
        _LOG.warning("%s or %s was made anew; both are read anew", RUNS_TOPIC, REPORTS_TOPIC)
        await self._feed.close()
        self._feed = self._make_feed()
        self._following = {}
        self.runs.broken = self.reports.broken = False

    async def _follow(self, topic: str, sink: RunsHandler | ReportsHandler, back: int | None) -> None:
        try:
            topic_id, starts = await self._threads.run(_starts, topic, back)
            if starts:
                self._following[topic] = topic_id
                await self._feed.assign(topic, starts, sink)
        except (ServiceError, KafkaException) as error:
            _LOG.info("%s: %s", topic, error)


def _starts(topic: str, back: int | None) -> tuple[str, dict[int, int]]:
    """Kafka's id of a topic and where to begin; nowhere while it is not there."""
    facts = describe_topics(home_profile(), [topic]).get(topic)
    if facts is None:
        return "", {}
    bounds = watermarks(home_profile(), {topic: facts.partitions})
    return facts.topic_id, {partition: low if back is None else max(low, high - back) for (_, partition), (low, high) in bounds.items()}
