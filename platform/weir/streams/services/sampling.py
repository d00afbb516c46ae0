"""Infers fields, event time and key format from a sample of a topic."""

from typing import Any

from jobs.formats.infer import InferredField, infer
from jobs.formats.infer_keys import KeyInference, infer_keys
from jobs.formats.infer_records import can_sample
from jobs.formats.record_formats import JsonEncoding
from weir.clusters.models import Cluster
from weir.clusters.services.offsets import watermarks
from weir.streams.services.contracts import read_encoding
from weir.streams.services.scan import OffsetRange, Scan, scan
from weir.streams.services.topic_ref import TopicRef
from weir.streams.services.topics import topic_ref
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace


def infer_topic(
    cluster: Cluster, workspace: Workspace, topic: str, limit: int, encoding: Any = None
) -> dict[str, Any]:
    """Infer ``fields``, ``event_time_candidates`` and ``key`` from the newest records of a
    topic; ``scan``: what was read.

    Args:
        cluster: of the topic.
        workspace: the one that reads.
        topic: its name.
        limit: number of records to sample.
        encoding: of their values, in the API's form; None: plain JSON.

    Raises:
        ServiceError: an invalid encoding, or SAMPLE_INCOMPATIBLE: fields cannot be inferred
            from records of this format.
        NotFoundError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    typed = JsonEncoding() if encoding is None else read_encoding(encoding)
    if not can_sample(typed):
        raise ServiceError(
            "SAMPLE_INCOMPATIBLE",
            f"Fields can't be inferred from {typed.format} records. Import them from the schema.",
        )
    found = newest_records(topic_ref(cluster, workspace, topic), limit)
    values: list[Any] = [message.value() for message in found.messages]
    seen = infer([value for value in values if value is not None], typed)
    return {
        "fields": [_field(field) for field in seen.fields],
        "event_time_candidates": [
            {**candidate.event_time.model_dump(mode="json"), "reason": candidate.reason}
            for candidate in seen.event_times
        ],
        "records": seen.records,
        "malformed": seen.malformed,
        "notes": list(seen.notes),
        "key": _key(infer_keys([message.key() for message in found.messages])),
        "scan": found.as_json(),
    }


def _field(seen: InferredField) -> dict[str, Any]:
    return {
        "name": seen.name,
        "path": None if seen.path == (seen.name,) else list(seen.path),
        "type": seen.type,
        "nullable": seen.nullable,
        "notes": list(seen.notes),
        "examples": list(seen.examples),
        "present": seen.present,
        "kinds": [{"kind": kind, "count": count} for kind, count in seen.kinds],
        "hints": [
            {"kind": hint.kind, "reason": hint.reason, "values": list(hint.values)} for hint in seen.hints
        ],
    }


def _key(seen: KeyInference) -> dict[str, Any]:
    encoding = None
    if seen.format == "text":
        encoding = {"format": "text"}
    elif seen.format is not None:
        encoding = {"format": seen.format, "framing": seen.framing}
    return {
        "encoding": encoding,
        "records": seen.records,
        "present": seen.present,
        "reason": seen.reason,
        "members": list(seen.members),
        "examples": list(seen.examples),
    }


def newest_records(ref: TopicRef, limit: int) -> Scan:
    """The newest records, the same number from each partition: `limit` at most, but one of each partition
    where there are more partitions than that.
    """
    ends = watermarks(ref.profile, {ref.topic: ref.partitions}, committed=True)
    each = max(1, limit // max(1, len(ends)))
    ranges = {
        partition: OffsetRange(max(low, high - each), high, low, high)
        for (_, partition), (low, high) in ends.items()
    }
    return scan(ref.profile, ref.topic, ranges, each * len(ranges))
