"""Pages of a stream's records: newest, from the beginning, from an offset, from a time; onwards by an opaque cursor."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Literal

from confluent_kafka import Message, TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.connections import ClusterProfile
from weir.clusters.services import profile_of
from weir.clusters.topics import offsets, watermarks
from weir.streams.decoding import record_json
from weir.streams.models import Stream
from weir.streams.scanning import Scan, Stretch, scan
from weir.workspaces.refusals import RefusalError

Origin = Literal["newest", "earliest", "offset", "time"]


@dataclass(frozen=True)
class Question:
    """What to show.

    Attributes:
        origin: where to begin; ``newest`` goes backwards, the others forwards.
        partition: only this one; None: all.
        offset: for origin ``offset``: first offset in every partition asked for.
        time_ms: for origin ``time``: first append time, ms since the epoch.
        limit: records on a page.
        cursor: `next` of the page before; it replaces the rest.
    """

    origin: Origin = "newest"
    partition: int | None = None
    offset: int = 0
    time_ms: int = 0
    limit: int = 50
    cursor: str | None = None


def browse(stream: Stream, question: Question) -> dict[str, Any]:
    """A page: ``records``, how far it ``looked``, and ``next`` (None at the end).

    Raises:
        RefusalError: no such partition, or a cursor that is none.
        MissingError: the topic is gone.
        UnreachableError: the cluster does not answer.
    """
    profile = profile_of(stream.cluster)
    ends = {place[1]: both for place, both in watermarks(profile, {stream.topic: stream.partitions}).items()}
    cursor = _read_cursor(question.cursor) if question.cursor else None
    backwards = cursor["back"] if cursor else question.origin == "newest"
    if question.partition is not None and question.partition not in ends:
        raise RefusalError("PARTITION_UNKNOWN", f"{stream.topic} has partitions 0 to {len(ends) - 1}.")
    places = {p: at for p, at in cursor["at"].items() if p in ends} if cursor else _begin(profile, stream.topic, ends, question)
    stretches = {p: _stretch(at, ends[p], question.limit if backwards else None) for p, at in places.items()}
    found = scan(profile, stream.topic, stretches, question.limit * len(stretches) if backwards else question.limit)
    shown = _newest(found.messages, question.limit) if backwards else found.messages
    following = _before(found, shown) if backwards else _after(found)
    contract = stream.stream_contract
    return {
        "records": [record_json(message, contract) for message in shown],
        "looked": found.looked(),
        "next": _write_cursor(backwards, following) if following else None,
    }


def _begin(profile: ClusterProfile, topic: str, ends: dict[int, tuple[int, int]], question: Question) -> dict[int, int]:
    chosen = [question.partition] if question.partition is not None else sorted(ends)
    if question.origin == "newest":
        return {p: ends[p][1] for p in chosen}
    if question.origin == "offset":
        return dict.fromkeys(chosen, question.offset)
    if question.origin == "time":
        found = offsets(profile, {TopicPartition(topic, p): OffsetSpec.for_timestamp(question.time_ms) for p in chosen})
        return {p: found[topic, p] if found[topic, p] >= 0 else ends[p][1] for p in chosen}
    return {p: ends[p][0] for p in chosen}


def _stretch(at: int, ends: tuple[int, int], back: int | None) -> Stretch:
    low, high = ends
    at = min(max(at, low), high)
    return Stretch(at, high, low, high) if back is None else Stretch(max(low, at - back), at, low, high)


def _newest(messages: list[Message], limit: int) -> list[Message]:
    ordered = sorted(messages, key=lambda message: (message.timestamp()[1], message.offset() or 0), reverse=True)
    return ordered[:limit]


def _before(found: Scan, shown: list[Message]) -> dict[int, int]:
    """Where the page before this one ends; empty when all partitions are at their start."""
    lowest = {p: found.positions[p] if not found.messages else s.end for p, s in found.stretches.items()}
    for message in shown:
        partition, offset = message.partition(), message.offset()
        if partition is not None and offset is not None:
            lowest[partition] = min(lowest[partition], offset)
    kept = {message.partition() for message in shown}
    for p, s in found.stretches.items():
        # Nothing there at all (compacted away): go on below what was looked at.
        if p not in kept and not any(message.partition() == p for message in found.messages):
            lowest[p] = s.first
    return lowest if any(at > found.stretches[p].log_start for p, at in lowest.items()) else {}


def _after(found: Scan) -> dict[int, int]:
    return dict(found.positions) if any(at < found.stretches[p].end for p, at in found.positions.items()) else {}


def _write_cursor(back: bool, at: dict[int, int]) -> str:
    return base64.urlsafe_b64encode(json.dumps({"back": back, "at": at}).encode()).decode("ascii")


def _read_cursor(text: str) -> dict[str, Any]:
    try:
        cursor = json.loads(base64.urlsafe_b64decode(text.encode("ascii")))
        return {"back": bool(cursor["back"]), "at": {int(p): int(at) for p, at in cursor["at"].items()}}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RefusalError("CURSOR_INVALID", "This cursor is not one of ours; begin again without it.") from error
