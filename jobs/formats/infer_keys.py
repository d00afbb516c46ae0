"""How the keys of a sample are written. It proposes; a person decides."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.framing import HEAD, json_body
from jobs.formats.infer_records import within_bounds
from jobs.formats.json_text import NumberText, parse_any
from jobs.formats.record_formats import JsonEncoding
from jobs.formats.records import Malformed

_EXAMPLES: Final = 3
_SHOWN: Final = 80
# Bytes of a number are UTF-8 often enough; texts have no such signs.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class KeyInference:
    """What the keys of a sample suggest.

    Attributes:
        records: how many were looked at.
        present: how many of them had a key.
        format: json, text or avro; None where no record had a key, or nothing that we read.
        framing: confluent where a schema's id stands before each key.
        reason: one sentence.
        members: of keys that are JSON objects, the names of those that most have.
        examples: up to three keys, as text; of bytes their hexadecimal digits.
    """

    records: int
    present: int
    format: str | None
    framing: str
    reason: str
    members: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def infer_keys(keys: list[bytes | None]) -> KeyInference:
    """How most keys are written.

    Args:
        keys: of the records of a sample; None for a record without one.
    """
    present = [key for key in keys if key is not None]
    given = within_bounds(present, JsonEncoding())
    if not given:
        return KeyInference(len(keys), 0, None, "none", "No record has a key.")
    kinds = Counter(_kind(key) for key in given)
    kind, count = kinds.most_common(1)[0]
    most = "Every key" if count == len(given) else f"Most keys ({count} of {len(given)}): each"
    written, framing, what = _FOUND[kind]
    members = _members([key for key in given if _kind(key) == kind], framing) if written == "json" else ()
    examples = tuple(dict.fromkeys(_shown(key) for key in given[:50]))[:_EXAMPLES]
    return KeyInference(len(keys), len(present), written, framing, f"{most} {what}.", members, examples)


_FOUND: Final[dict[str, tuple[str | None, str, str]]] = {
    "json": ("json", "none", "is JSON"),
    "framed json": ("json", "confluent", "is JSON with a schema ID prefix"),
    "framed": ("avro", "confluent", "has a schema ID prefix, probably of an Avro schema"),
    "text": ("text", "none", "is plain text"),
    "bytes": (None, "none", "is binary in an unknown format"),
}


def _kind(key: bytes) -> str:
    # Registries number schemas from 1; zeros alone are the beginning of a number's bytes.
    if len(key) > HEAD and key[0] == 0 and any(key[1:HEAD]):
        return (
            "framed"
            if isinstance(_parsed(key, JsonEncoding(framing="confluent")), Malformed)
            else "framed json"
        )
    parsed = _parsed(key, JsonEncoding())
    # A bare number or word is read by a text key of any type, by a JSON key only of its own.
    if not isinstance(parsed, Malformed | NumberText | bool | None):
        return "json"
    return "bytes" if _text(key) is None else "text"


def _text(key: bytes) -> str | None:
    """The text that a key is; None for bytes of something else."""
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _parsed(key: bytes, encoding: JsonEncoding) -> Any:
    body = json_body(key, encoding)
    return body if isinstance(body, Malformed) else parse_any(body)


def _without_schema(parsed: dict[str, Any]) -> dict[str, Any]:
    """The payload of Kafka Connect's ``{"schema": …, "payload": …}``; others as they are."""
    payload = parsed.get("payload")
    return payload if isinstance(payload, dict) and parsed.get("schema") is not None else parsed


def _members(keys: list[bytes], framing: str) -> tuple[str, ...]:
    encoding = JsonEncoding(framing="confluent" if framing == "confluent" else "none")
    objects = [parsed for key in keys if isinstance(parsed := _parsed(key, encoding), dict)]
    counts = Counter(name for one in objects for name in _without_schema(one))
    return tuple(name for name, count in counts.items() if 2 * count > len(keys))


def _shown(key: bytes) -> str:
    text = _text(key)
    return (f"0x{key.hex()}" if text is None else json.dumps(text, ensure_ascii=False)[1:-1])[:_SHOWN]
