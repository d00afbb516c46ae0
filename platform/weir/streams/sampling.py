"""A sample of a topic, and the fields it shows."""

from typing import Any

from jobs.formats.infer import infer
from weir.clusters.clients import home_profile
from weir.clusters.topics import describe_topic, is_topic_name, watermarks
from weir.streams.scanning import Scan, Stretch, scan
from weir.streams.services import is_internal
from weir.workspaces.refusals import RefusalError


def infer_topic(topic: str, limit: int) -> dict[str, Any]:
    """What the newest records of a topic look like: ``fields``, ``event_time`` candidates, how far it ``looked``.

    Raises:
        RefusalError: the topic belongs to the system.
        MissingError: no such topic.
        UnreachableError: the cluster does not answer.
    """
    if not is_topic_name(topic) or is_internal(topic):
        raise RefusalError("TOPIC_INVALID", f"{topic[:80]!r} is no topic name, or belongs to the system.")
    found = _sample(topic, limit)
    values: list[Any] = [message.value() for message in found.messages]
    seen = infer([value for value in values if value is not None])
    return {
        "fields": [
            {"name": f.name, "type": f.type, "nullable": f.nullable, "notes": list(f.notes), "examples": list(f.examples)}
            for f in seen.fields
        ],
        "event_time": [{**candidate.event_time.model_dump(mode="json"), "why": candidate.why} for candidate in seen.event_times],
        "malformed": seen.malformed,
        "notes": list(seen.notes),
        "looked": found.looked(),
    }


def _sample(topic: str, limit: int) -> Scan:
    """The newest records, as many from each partition."""
    profile = home_profile()
    ends = watermarks(profile, {topic: describe_topic(profile, topic).partitions})
    each = -(-limit // max(1, len(ends)))
    stretches = {partition: Stretch(max(low, high - each), high, low, high) for (_, partition), (low, high) in ends.items()}
    return scan(profile, topic, stretches, limit)
