"""Whether every document that one JSON Schema allows is allowed by another, proven part by part.

What the rules here do not understand counts as different unless it is the same on both sides: a registry may
refuse too much, never too little. After Confluent, a required property with a default may be added.
"""

import json
import time
from collections.abc import Callable
from typing import Any, Final

from jobs.formats.json_schema_budget import BudgetError, invalid_values, resolved
from weir.schemas.services.differences import Difference

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_NOT_COMPARED: Final = (
    "not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames",
    "unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains", "multipleOf",
    "pattern", "uniqueItems",
    "additionalItems", "prefixItems", "patternProperties", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
_LOWER: Final = {
    "minimum": "number",
    "exclusiveMinimum": "number",
    "minLength": "string",
    "minItems": "array",
    "minProperties": "object",
}
_UPPER: Final = {
    "maximum": "number",
    "exclusiveMaximum": "number",
    "maxLength": "string",
    "maxItems": "array",
    "maxProperties": "object",
}
MAX_STEPS: Final = 20_000
MAX_CPU_S: Final = 3.0  # processor time of this thread: steps differ in cost


class _Comparison:
    """One comparison: both documents, pairs under way, and how many steps it has taken."""

    def __init__(self, reader: Any, writer: Any) -> None:
        self.reader_root, self.writer_root = reader, writer
        self.seen: set[tuple[int, int]] = set()
        self.kept: list[Any] = []  # so that no id is given to a second object
        self.steps = 0
        self.until = time.thread_time() + MAX_CPU_S


def json_differences(reader: Any, writer: Any) -> list[Difference]:
    """All reasons found why `reader` may refuse what `writer` allows.

    Args:
        reader: a JSON Schema's values.
        writer: another's.
    """
    return _compare(_Comparison(reader, writer), reader, writer, "")


def _compare(run: _Comparison, reader: Any, writer: Any, at: str) -> list[Difference]:
    run.steps += 1
    if run.steps > MAX_STEPS or time.thread_time() > run.until:
        return [
            Difference(
                "NOT_COMPARED", at, "The schemas are too large to compare.", "Allowed: smaller schemas."
            )
        ]
    reader, writer = resolved(reader, run.reader_root), resolved(writer, run.writer_root)
    if reader is True or reader == {} or writer is False or (reader == writer and not _refers(reader)):
        return []
    if reader is False:
        return [
            Difference(
                "NOTHING_ALLOWED",
                at,
                "The new schema allows no value here.",
                "Allowed: what the writer allows.",
            )
        ]
    writer = {} if writer is True else writer
    pair = (id(reader), id(writer))
    if pair in run.seen:
        return []
    run.seen.add(pair)
    run.kept += [reader, writer]
    return _alternatives(run, reader, writer, at)


def _refers(values: Any) -> bool:
    return '"$ref"' in json.dumps(values)


def _alternatives(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str
) -> list[Difference]:
    for word in ("anyOf", "oneOf"):
        if word in writer and not set(writer) & {"properties", "type", "allOf"}:
            return [found for branch in writer[word] for found in _compare(run, reader, branch, at)]
    if "enum" in writer or "const" in writer:
        return _values(reader, writer, at, run)
    found = _any_of(run, reader, writer, at)
    for part in reader.get("allOf", []):
        found += _compare(run, part, writer, at)
    if "allOf" in writer and found:
        rest = {key: value for key, value in writer.items() if key != "allOf"}
        if any(
            not _compare(run, reader, {**rest, **resolved(part, run.writer_root)}, at)
            for part in writer["allOf"]
            if part is not True
        ):
            return []
    return found + (_plain(run, reader, writer, at) if not found or "allOf" in reader else [])


def _any_of(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    for word in ("anyOf", "oneOf"):
        if word not in reader:
            continue
        seen = set(run.seen)
        for branch in reader[word]:
            run.seen = set(seen)
            if not _compare(run, branch, writer, at):
                break
        else:
            message = f"None of the reader's {word} allows what the writer allows."
            return [
                Difference(
                    "MISSING_ALTERNATIVE", at, message, "Allowed: the alternatives of the writer, and more."
                )
            ]
    return []


def _values(reader: dict[str, Any], writer: dict[str, Any], at: str, run: _Comparison) -> list[Difference]:
    """Validate each value of an enumeration."""
    given = writer["enum"] if "enum" in writer else [writer["const"]]
    complete = {**reader}
    for word in ("definitions", "$defs"):
        if isinstance(run.reader_root, dict) and word in run.reader_root:
            complete.setdefault(word, run.reader_root[word])
    try:
        invalid = invalid_values(complete, given)
    except BudgetError as error:
        return [
            Difference(
                "NOT_COMPARED",
                at,
                f"The reader's schema can't validate the writer's values: {error}",
                "Allowed: no enumeration.",
            )
        ]
    if not invalid:
        return []
    shown = ", ".join(json.dumps(value)[:40] for value in invalid[:10])
    return [
        Difference(
            "VALUES_REMOVED",
            at,
            f"The reader rejects {shown}.",
            "Allowed: an enumeration that includes them.",
        )
    ]


def _plain(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    found = _types(reader, writer, at)
    if found:
        return found
    shared = _type_set(writer)
    found = [*_uncompared(reader, writer, at), *_bounds(reader, writer, at, shared)]
    if "enum" in reader or "const" in reader:
        allowed = "Allowed: no enumeration, or one that the writer also has."
        found.append(
            Difference(
                "VALUES_NARROWED", at, "The reader allows only certain values, the writer any.", allowed
            )
        )
    if "object" in shared:
        found += _object(run, reader, writer, at)
    if "array" in shared:
        found += _array(run, reader, writer, at)
    return found


def _type_set(schema: dict[str, Any]) -> set[str]:
    given = schema.get("type", list(TYPES))
    found = set([given] if isinstance(given, str) else given)
    return found | {"integer"} if "number" in found else found


def _types(reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    missing = _type_set(writer) - _type_set(reader)
    if not missing:
        return []
    wanted = sorted(_type_set(writer) | _type_set(reader)) if "type" in writer else []
    message = f"The writer can produce {', '.join(sorted(missing))}, which the reader rejects."
    return [
        Difference(
            "TYPE_NARROWED",
            at,
            message,
            f"Allowed: the types {', '.join(wanted)}." if wanted else "Allowed: no type.",
        )
    ]


def _uncompared(reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    return [
        Difference(
            "CONSTRAINT_CHANGED",
            at,
            f"{word} differs between reader and writer.",
            f"Allowed: {word} unchanged or removed.",
        )
        for word in _NOT_COMPARED
        if word in reader
        and reader[word] != writer.get(word)
        and not (word == "uniqueItems" and reader[word] is False)
    ]


def _bounds(reader: dict[str, Any], writer: dict[str, Any], at: str, shared: set[str]) -> list[Difference]:
    tests: tuple[tuple[dict[str, str], Callable[[Any, Any], bool]], ...] = (
        (_LOWER, lambda r, w: w >= r),
        (_UPPER, lambda r, w: w <= r),
    )
    found = []
    for words, holds in tests:
        for word, kind in words.items():
            is_met = kind in shared or (kind == "number" and "integer" in shared)
            if word not in reader or not is_met or isinstance(reader[word], bool):
                continue
            given = writer.get(word)
            if given is None or not holds(reader[word], given):
                shown = given if given is not None else "not set"
                message = f"The reader's {word} is {reader[word]}, the writer's is {shown}."
                found.append(
                    Difference("RANGE_NARROWED", at, message, "Allowed: the writer's bound, or a wider one.")
                )
    return found


def _object(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    ours, theirs = reader.get("properties", {}), writer.get("properties", {})
    our_rest, their_rest = reader.get("additionalProperties", True), writer.get("additionalProperties", True)
    found = []
    for name in reader.get("required", []):
        has_default = isinstance(ours.get(name), dict) and "default" in ours[name]
        if name not in writer.get("required", []) and not has_default:
            here = f"{at}.{name}" if at else name
            allowed = "Allowed: an optional property, or one with a default."
            found.append(
                Difference(
                    "REQUIRED_ADDED",
                    here,
                    "The reader requires the property, but the writer can omit it.",
                    allowed,
                )
            )
    for name in {**ours, **theirs}:
        here = f"{at}.{name}" if at else name
        if name in ours and name in theirs:
            found += _compare(run, ours[name], theirs[name], here)
        elif name in ours:
            found += _added(run, ours[name], their_rest, here)
        elif gone := _compare(run, our_rest, theirs[name], here):
            allowed = "Allowed: the property kept, or an open content model."
            found.append(Difference("PROPERTY_REMOVED_FROM_CLOSED_MODEL", here, gone[0].message, allowed))
    if rest := _compare(run, our_rest, their_rest, f"{at}.*" if at else "*"):
        allowed = "Allowed: additionalProperties as the writer has it, or wider."
        found.append(Difference("CONTENT_MODEL_NARROWED", at, rest[0].message, allowed))
    return found


def _added(run: _Comparison, schema: Any, their_rest: Any, here: str) -> list[Difference]:
    """A property that only the reader names: the writer may have written anything there
    that its open content allows.
    """
    gap = _compare(run, schema, their_rest, here)
    if not gap:
        return []
    allowed = "Allowed: the property without a type, or a closed content model before."
    return [
        Difference(
            "PROPERTY_ADDED_TO_OPEN_MODEL", here, "The writer already allows other values there.", allowed
        )
    ]


def _array(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    ours, theirs = reader.get("items", True), writer.get("items", True)
    if isinstance(ours, list) or isinstance(theirs, list):
        same = "Allowed: unchanged items."
        return (
            []
            if ours == theirs
            else [Difference("CONSTRAINT_CHANGED", at, "The items by position differ.", same)]
        )
    return _compare(run, ours, theirs, f"{at}[]")
