"""Which records are decoded through Python, and which in the JVM; real-time mode runs no Python."""

from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import DebeziumEncoding, JsonEncoding


def needs_python(contract: StreamContract) -> bool:
    """True when the values of records are decoded by Python, in Arrow batches: where they are held to a JSON
    Schema.
    """
    return isinstance(contract.encoding, JsonEncoding) and contract.encoding.json_schema is not None


def realtime_refusal(contract: StreamContract) -> str:
    """Why they cannot be decoded in real-time mode, as the rest of a sentence that begins with the source's
    name; empty when they can.
    """
    encoding = (
        contract.encoding.inner if isinstance(contract.encoding, DebeziumEncoding) else contract.encoding
    )
    if isinstance(encoding, JsonEncoding) and encoding.json_schema is not None:
        return "uses JSON Schema validation, which needs micro-batch mode."
    names = {encoding.format, contract.key_encoding.format if contract.key else ""}
    if "avro" in names:
        return "uses Avro, which needs micro-batch mode."
    return ""
