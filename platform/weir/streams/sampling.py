"""A sample of a topic, and the fields it shows."""

from typing import Any

from jobs.formats.encodings import JsonEncoding
from jobs.formats.infer import infer
from jobs.formats.infer_keys import KeyInference, infer_keys
from jobs.formats.infer_records import can_sample
from weir.clusters.models import Cluster
from weir.clusters.topics import watermarks
from weir.streams.places import Place
from weir.streams.scanning import Scan, Stretch, scan
from weir.streams.services import read_encoding
from weir.streams.topics import topic_place
from weir.workspaces.models import Workspace
from weir.workspaces.refusals import RefusalError


def infer_topic(cluster: Cluster, workspace: Workspace, topic: str, limit: int, encoding: Any = None) -> dict[str, Any]:
    """What the newest records of a topic look like: ``fields``, ``event_time`` candidates, their ``key``, how far it ``looked``.

    Args:
        cluster: where.
        workspace: who asks.
        topic: which.
        limit: records to look at.
        encoding: how they are written, in the API's form; None: plain JSON.

    Raises:
        RefusalError: it is no encoding, or SAMPLE_UNFIT: its records do not show their fields.
        MissingError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    typed = JsonEncoding() if encoding is None else read_encoding(encoding)
    if not can_sample(typed):
        raise RefusalError("SAMPLE_UNFIT", f"Fields can't be inferred from {typed.format} records. Import them from the schema.")
    found = newest_records(topic_place(cluster, workspace, topic), limit)
    values: list[Any] = [message.value() for message in found.messages]
    seen = infer([value for value in values if value is not None], typed)
    return {
        "fields": [
            {
                "name": f.name,
                "path": None if f.path == (f.name,) else list(f.path),
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
        "key": _key(infer_keys([message.key() for message in found.messages])),
        "looked": found.looked(),
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
        "why": seen.why,
        "members": list(seen.members),
        "examples": list(seen.examples),
    }


def newest_records(place: Place, limit: int) -> Scan:
    """The newest records, as many from each partition."""
    ends = watermarks(place.profile, {place.topic: place.partitions})
    each = -(-limit // max(1, len(ends)))
    stretches = {partition: Stretch(max(low, high - each), high, low, high) for (_, partition), (low, high) in ends.items()}
    return scan(place.profile, place.topic, stretches, limit)
