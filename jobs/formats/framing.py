"""Confluent's framing: a zero byte and the id of the writer's schema, four bytes,
before the record itself.
"""

from jobs.formats.record_formats import JsonEncoding
from jobs.formats.records import Malformed

HEAD: int = 5


def unframed(value: bytes) -> tuple[int, bytes] | Malformed:
    """The schema id and the record behind a frame, or NOT_FRAMED."""
    if len(value) < HEAD:
        return Malformed("NOT_FRAMED", f"Not Confluent wire format: {len(value)} bytes are too short.")
    if value[0] != 0:
        return Malformed("NOT_FRAMED", f"Not Confluent wire format: the first byte is {value[0]}, not 0.")
    return int.from_bytes(value[1:HEAD], "big"), value[HEAD:]


def json_body(value: bytes, encoding: JsonEncoding) -> bytes | Malformed:
    """The JSON text itself, out of its frame where the encoding has one, or NOT_FRAMED."""
    if encoding.framing != "confluent":
        return value
    frame = unframed(value)
    return frame if isinstance(frame, Malformed) else frame[1]


def framed(schema_id: int, record: bytes) -> bytes:
    """A record in its frame."""
    return b"\x00" + schema_id.to_bytes(4, "big") + record
