"""A sample of a topic, and the fields it shows."""

from typing import Any

from jobs.formats.infer import infer
from weir.clusters.models import Cluster
from weir.clusters.topics import watermarks
from weir.streams.places import Place
from weir.streams.scanning import Scan, Stretch, scan
from weir.streams.topics import topic_place


def infer_topic(cluster: Cluster, topic: str, limit: int) -> dict[str, Any]:
    """What the newest records of a topic look like: ``fields``, ``event_time`` candidates, how far it ``looked``.

    Raises:
        MissingError: no such topic, or it belongs to the system.
        UnreachableError: the cluster does not answer.
    """
    found = _sample(topic_place(cluster, topic), limit)
    values: list[Any] = [message.value() for message in found.messages]
    seen = infer([value for value in values if value is not None])
    return {
        "fields": [
            {
                "name": f.name,
                "type": f.type,
                "nullable": f.nullable,
                "notes": list(f.notes),
                "examples": list(f.examples),
                "present": f.present,
                "kinds": [{"kind": kind, "count": count} for kind, count in f.kinds],
                "looks": [{"kind": look.kind, "why": look.why, "values": list(look.values)} for look in f.looks],
            }
            for f in seen.fields
        ],
        "event_time": [{**candidate.event_time.model_dump(mode="json"), "why": candidate.why} for candidate in seen.event_times],
        "records": seen.records,
        "malformed": seen.malformed,
        "notes": list(seen.notes),
        "looked": found.looked(),
    }


def _sample(place: Place, limit: int) -> Scan:
    """The newest records, as many from each partition."""
    ends = watermarks(place.profile, {place.topic: place.partitions})
    each = -(-limit // max(1, len(ends)))
    stretches = {partition: Stretch(max(low, high - each), high, low, high) for (_, partition), (low, high) in ends.items()}
    return scan(place.profile, place.topic, stretches, limit)
