"""May a client go on from its cursor? (`docs/architecture.md#cursors`)"""

from dataclasses import dataclass
from typing import Final

from weir.clusters.clients import home_profile
from weir.clusters.topics import watermarks
from weir.live.result_topic import FollowedResult
from weir.results.cursors import CursorError, decode_cursor
from weir.runs.services.generation_setup import TOMBSTONE_RETENTION_MS

OLDEST_US: Final = TOMBSTONE_RETENTION_MS * 1000 * 8 // 10


@dataclass(frozen=True, slots=True)
class ResumeDecision:
    """The verdict on a cursor: go on from `offsets`, or begin with a snapshot and tell `gap` (empty: there was no cursor)."""

    offsets: dict[int, int] | None = None
    gap: str = ""


def decide_resume(cursor: str | None, watched: FollowedResult, now_us: int) -> ResumeDecision:
    """Decide. Asks the broker for the log's bounds.

    Args:
        cursor: as the client sent it; None for none.
        watched: the topic of the job's current generation.
        now_us: the present.

    Raises:
        UnreachableError: the broker does not answer.
    """
    if cursor is None:
        return ResumeDecision()
    try:
        found = decode_cursor(cursor)
    except CursorError:
        return ResumeDecision(gap="topic_changed")
    if (found.generation, found.topic_id) != (watched.generation, watched.topic_id):
        return ResumeDecision(gap="topic_changed")
    partitions = watched.tail.starts.keys()
    if found.offsets.keys() - partitions:
        return ResumeDecision(gap="topic_changed")
    if now_us - found.at_us > OLDEST_US:
        return ResumeDecision(gap="cursor_too_old")
    bounds = watermarks(home_profile(), {watched.topic: len(partitions)})
    offsets = {partition: found.offsets.get(partition, 0) for partition in partitions}
    if any(offsets[partition] > bounds[watched.topic, partition][1] for partition in partitions):
        return ResumeDecision(gap="beyond_end")
    if any(offsets[partition] < bounds[watched.topic, partition][0] for partition in partitions):
        return ResumeDecision(gap="below_start")
    return ResumeDecision(offsets=offsets)
