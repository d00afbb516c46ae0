"""Decides whether a client may resume from its cursor (`docs/architecture.md#cursors`)."""

from dataclasses import dataclass

from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import watermarks
from weir.live.result_topic import FollowedResult
from weir.results.services.cursors import Cursor, CursorError, decode_cursor
from weir.retention import CURSOR_MAX_AGE_US


@dataclass(frozen=True, slots=True)
class ResumeDecision:
    """Resume from `offsets`, or send `gap` (empty: the client had no cursor) and start with a snapshot."""

    offsets: dict[int, int] | None = None
    gap: str = ""


def decide_resume(cursor: str | None, followed: FollowedResult, now_us: int) -> ResumeDecision:
    """Decide about a cursor. Fetches the offsets of the log from the broker.

    Args:
        cursor: as the client sent it; None for none.
        followed: the topic of the job's current generation.
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
    if not _is_of(found, followed):
        return ResumeDecision(gap="topic_changed")
    partitions = followed.recent.starts.keys()
    bounds = watermarks(home_profile(), {followed.topic: len(partitions)})
    offsets = {partition: found.offsets.get(partition, 0) for partition in partitions}
    if any(offsets[partition] > bounds[followed.topic, partition][1] for partition in partitions):
        return ResumeDecision(gap="beyond_end")
    # At the end of the log nothing was deleted since, however old the cursor is.
    is_behind = any(offsets[partition] < bounds[followed.topic, partition][1] for partition in partitions)
    if is_behind and now_us - found.at_us > CURSOR_MAX_AGE_US:
        return ResumeDecision(gap="cursor_too_old")
    if any(offsets[partition] < bounds[followed.topic, partition][0] for partition in partitions):
        return ResumeDecision(gap="below_start")
    return ResumeDecision(offsets=offsets)


def _is_of(cursor: Cursor, followed: FollowedResult) -> bool:
    """Whether a cursor's offsets are of the followed topic, and of partitions that it has."""
    is_same_topic = (cursor.generation, cursor.topic_id) == (followed.generation, followed.topic_id)
    return is_same_topic and not cursor.offsets.keys() - followed.recent.starts.keys()
