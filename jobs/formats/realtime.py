"""Whether records of a stream can be decoded in real-time mode."""

from jobs.formats.contract import StreamContract
from jobs.formats.encodings import DebeziumEncoding, JsonEncoding


def realtime_refusal(contract: StreamContract) -> str:
    """Why they cannot, as the rest of a sentence that begins with the source's name; empty when they can (`design.md` 6)."""
    encoding = contract.encoding.inner if isinstance(contract.encoding, DebeziumEncoding) else contract.encoding
    if isinstance(encoding, JsonEncoding) and encoding.json_schema is not None:
        return "is held to a JSON Schema, which Python tries; real-time mode runs no Python."
    names = {encoding.format, contract.key_encoding.format if contract.key else ""}
    return "holds Avro records, which Python decodes; real-time mode runs no Python." if "avro" in names else ""
