"""weir.runs and weir.reports, followed by every web process."""

import logging
from typing import Final

from confluent_kafka import KafkaException, Message
from pydantic import ValidationError

from jobs.messages import REPORT, REPORTS_TOPIC, RUNS_TOPIC, DesiredRun, PositionsReport, ProgressReport, Report
from weir.clusters.clients import home_profile
from weir.clusters.topics import describe_topics, watermarks
from weir.lag.tracking import LagTracker
from weir.live.board import Board
from weir.live.feed import Feed
from weir.live.threads import Threads
from weir.workspaces.refusals import RefusalError

_LOG: Final = logging.getLogger(__name__)
LOOK_BACK: Final = 500  # reports: enough for every engine's last heartbeat and most runs' last positions


class RunsSink:
    """weir.runs → board and lag tracker."""

    def __init__(self, board: Board, tracker: LagTracker) -> None:
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


class ReportsSink:
    """weir.reports → board and lag tracker."""

    def __init__(self, board: Board, tracker: LagTracker) -> None:
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

    def lost(self, partition: int, reason: str) -> None:
        """The topic was deleted or made anew, or retention overtook us."""
        _LOG.warning("weir.reports/%s: %s", partition, reason)
        self.broken = True


class Control:
    """Keeps both topics assigned, also when they appear late or are made anew."""

    def __init__(self, feed: Feed, threads: Threads, board: Board, tracker: LagTracker) -> None:
        self._feed = feed
        self._threads = threads
        self.runs = RunsSink(board, tracker)
        self.reports = ReportsSink(board, tracker)
        self._following: set[str] = set()

    async def tick(self) -> None:
        """Assign what is missing. A broker that is away is tried again with the next tick."""
        for topic, sink, back in ((RUNS_TOPIC, self.runs, None), (REPORTS_TOPIC, self.reports, LOOK_BACK)):
            if topic in self._following and sink.broken:
                await self._feed.unassign(topic)
                self._following.discard(topic)
            if topic not in self._following:
                await self._follow(topic, sink, back)

    async def _follow(self, topic: str, sink: RunsSink | ReportsSink, back: int | None) -> None:
        try:
            starts = await self._threads.run(_starts, topic, back)
            if starts:
                sink.broken = False
                self._following.add(topic)
                await self._feed.assign(topic, starts, sink)
        except (RefusalError, KafkaException) as error:
            _LOG.info("%s: %s", topic, error)


def _starts(topic: str, back: int | None) -> dict[int, int]:
    facts = describe_topics(home_profile(), [topic]).get(topic)
    if facts is None:
        return {}
    bounds = watermarks(home_profile(), {topic: facts.partitions})
    return {partition: low if back is None else max(low, high - back) for (_, partition), (low, high) in bounds.items()}
