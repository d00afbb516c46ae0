"""Pairs of Avro schemas at random, a writer's and what a reader made of it, and records of the writer with
damage."""

import copy
import io
import json
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import fastavro

from jobs.formats.avro_records import parsed
from jobs.formats.avro_schema_json import writing_schema
from jobs.formats.framing import framed

UUID: Final = "2fe74bad-ea36-4f84-8273-31949a3ce4ed"
_LEAVES: Final[tuple[Any, ...]] = (
    "boolean", "int", "long", "float", "double", "bytes", "string", "enum", "fixed",
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "long", "logicalType": "local-timestamp-nanos"},
    {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
    {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2},
    {"type": "string", "logicalType": "uuid"},
)  # fmt: skip
_DEFAULTS: Final = {
    "null": None, "boolean": True, "int": -7, "long": 5, "float": 0.1, "double": "NaN", "bytes": "\u00e9",
    "string": "é",
    "enum": "B", "fixed": "\u00ff\u0000a",
}  # fmt: skip
_VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "null": (None,),
    "boolean": (True, False),
    "int": (0, -1, 5, 2**31 - 1, -(2**31)),
    "long": (0, 5, 2**63 - 1, -(2**63), 16777217, 9007199254740993),
    "float": (0.5, float("inf"), 1e-40),
    "double": (0.1, float("nan"), -0.0),
    "bytes": (b"", b"a", b"\xff", b"\xc3\xa9", UUID.encode(), b"\x80" + b"\0" * 7),
    "string": ("", "a", "é\U0001f600", UUID),
    "fixed": (b"abc", b"\x00\xff\x7f"),
    "uuid": (UUID, UUID, UUID.upper(), f"{{{UUID}}}", UUID.replace("-", ""), "x"),
    "decimal": (
        b"",
        b"\x01",
        b"\xff\xff\xff\x9c",
        b"\x00" * 30 + b"\x05",
        b"\x27\x0f",
        b"\x27\x10",
        b"\x7f" * 5,
        b"\x80" + b"\0" * 7,
    ),
    "date": (0, 20_000, -5, 20_000, 2_932_896, 2_932_897),
    "timestamp": (0, 1_767_261_600_000, -5, 5_000, 253_402_300_800_000_000, 2**62),
}
_PROMOTED: Final = {
    "int": ("long", "float", "double", "string"), "long": ("float", "double"), "float": ("double",),
    "string": (
        "bytes", {"type": "string", "logicalType": "uuid"},
        {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
    ),
    "bytes": (
        "string", {"type": "string", "logicalType": "uuid"},
        {"type": "bytes", "logicalType": "decimal", "precision": 18, "scale": 2},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A writer's schema, a reader's, and framed records under id 1."""

    writer: str
    reader: str
    records: list[bytes]


def random_pair(random: Random, records: int) -> Pair:
    """A pair that may not fit, and records that may be none."""
    schemas = Schemas(random)
    return pair_of(random, schemas, schemas.record(0), records)


def pair_of(random: Random, schemas: "Schemas", writer: dict[str, Any], records: int) -> Pair:
    """A writer's schema with a reader's, which mostly is another, and records."""
    reader = schemas.changed(writer) if random.random() < 0.8 else writer
    written = fastavro.parse_schema(writing_schema(parsed(json.dumps(writer))))
    made = [_damaged(random, framed(1, _bytes(written, _value(random, writer)))) for _ in range(records)]
    return Pair(json.dumps(writer), json.dumps(reader), made)


def _bytes(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return out.getvalue()


def _damaged(random: Random, record: bytes) -> bytes:
    found = bytearray(record)
    if random.random() < 0.25 and len(found) > 5:
        found[random.randrange(5, len(found))] = random.randrange(256)
    if random.random() < 0.05:
        found = found[: random.randrange(len(found) + 1)]
    if random.random() < 0.03 and len(found) > 5:
        at = random.randrange(5, len(found))
        found[at:at] = b"\x80" * random.randrange(8, 12)
    return bytes(found) + (b"\0" if random.random() < 0.03 else b"")


class Schemas:
    """Schemas whose named types have names of their own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._named = 0

    def record(self, depth: int) -> dict[str, Any]:
        fields = [
            {"name": f"f{number}", "type": self.type(depth)} for number in range(self._random.randint(1, 3))
        ]
        return {"type": "record", "name": self._name(), "fields": fields}

    def type(self, depth: int) -> Any:
        kind = self._random.random()
        if depth < 3 and kind < 0.15:
            return {"type": "array", "items": self.type(depth + 1)}
        if depth < 3 and kind < 0.25:
            return {"type": "map", "values": self.type(depth + 1)}
        if depth < 3 and kind < 0.38:
            return self.record(depth + 1)
        if depth < 3 and kind < 0.6:
            return self._union(depth)
        return self._leaf()

    def changed(self, schema: Any) -> Any:
        """What a later version made of it, which may not fit."""
        if isinstance(schema, list):
            return self._changed_union(schema)
        if isinstance(schema, str):
            return self._changed_primitive(schema)
        inside = {part: self.changed(schema[part]) for part in ("items", "values") if part in schema}
        found = {**schema, **inside}
        if found["type"] == "record":
            found["fields"] = self._changed_fields(found["fields"])
        elif found["type"] == "enum" and self._random.random() < 0.4:
            found["symbols"] = ["B", "A", "D"]
        elif "logicalType" in found and self._random.random() < 0.3:
            found |= self._random.choice(({"logicalType": "none"}, {"precision": 5}))
        return found

    def _name(self) -> str:
        self._named += 1
        return f"N{self._named}"

    def _leaf(self) -> Any:
        kind = copy.deepcopy(self._random.choice(_LEAVES))
        if kind == "enum":
            default = {"default": "A"} if self._random.random() < 0.4 else {}
            return {"type": "enum", "name": self._name(), "symbols": ["A", "B", "C"], **default}
        return {"type": "fixed", "name": self._name(), "size": 3} if kind == "fixed" else kind

    def _union(self, depth: int) -> Any:
        branches: dict[str, Any] = {"null": "null"} if self._random.random() < 0.7 else {}
        for _ in range(self._random.choice((1, 1, 2, 3))):
            part = self.type(depth + 1)  # a union may stand inside a branch, though it is none itself
            if not isinstance(part, list):
                branches.setdefault(part if isinstance(part, str) else part.get("name", part["type"]), part)
        return list(branches.values()) if set(branches) - {"null"} else ["null", "int"]

    def _changed_union(self, union: list[Any]) -> Any:
        kind = self._random.random()
        if kind < 0.15 and len(union) > 1:
            return union[1:]
        if kind < 0.25:
            return self._random.choice([part for part in union if part != "null"])  # of many one is left
        return ["null", *union] if kind < 0.35 and "null" not in union else union

    def _changed_primitive(self, kind: str) -> Any:
        chance = self._random.random()
        if chance < 0.3 and kind in _PROMOTED:
            return self._random.choice(_PROMOTED[kind])
        return ["null", kind] if chance < 0.4 and kind != "null" else kind

    def _changed_fields(self, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
        fields = [{**field, "type": self.changed(field["type"])} for field in given]
        if self._random.random() < 0.3:
            fields = fields[1:] or fields
        if self._random.random() < 0.3:
            new = self.type(2)
            fields.append({"name": "new", "type": new, "default": _default(new)})
        if self._random.random() < 0.2:
            fields[0] = {**fields[0], "name": "renamed", "aliases": [fields[0]["name"]]}
        if self._random.random() < 0.3:
            self._random.shuffle(fields)
        return fields


def _default(schema: Any) -> Any:
    if isinstance(schema, list):
        return _default(schema[0])
    if isinstance(schema, str):
        return _DEFAULTS[schema]
    match schema["type"]:
        case "array":
            return [_default(schema["items"])]
        case "map":
            return {"k": _default(schema["values"])}
        case "record":
            return {field["name"]: _default(field["type"]) for field in schema["fields"]}
    special = {"uuid": UUID, "decimal": "\u0001\u0000"}
    return special.get(schema.get("logicalType", ""), _DEFAULTS[schema["type"]])


def _value(random: Random, schema: Any) -> Any:
    """A value as it stands in the bytes."""
    if isinstance(schema, list):
        return _value(random, random.choice(schema))
    if isinstance(schema, str):
        return random.choice(_VALUES[schema])
    match schema["type"]:
        case "array":
            return [_value(random, schema["items"]) for _ in range(random.randrange(3))]
        case "map":
            return {
                random.choice("abé"): _value(random, schema["values"]) for _ in range(random.randrange(3))
            }
        case "record":
            return {field["name"]: _value(random, field["type"]) for field in schema["fields"]}
        case "enum":
            return random.choice(schema["symbols"])
    logical = schema.get("logicalType", "")
    return random.choice(_VALUES["timestamp" if "timestamp" in logical else logical or schema["type"]])
