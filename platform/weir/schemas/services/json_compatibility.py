"""Whether every document that one JSON Schema allows is allowed by another, proven part by part.

What the rules here do not understand counts as different unless it is the same on both sides: a registry may
refuse too much, never too little. After Confluent, a required property with a default may be added.
"""

import json
import time
from typing import Any, Final

from jobs.formats.json_schema_budget import BudgetError, invalid_values, resolved
from weir.schemas.services.differences import NO_SCHEMA, TOO_LARGE, Difference
from weir.schemas.services.json_keywords import (
    bound_differences,
    changed_constraints,
    possible_types,
    same,
    type_differences,
)

MAX_STEPS: Final = 20_000
MAX_LEVELS: Final = 100  # of schemas inside schemas: references lead deeper than the text is nested
MAX_CPU_S: Final = 3.0  # processor time of this thread: steps differ in cost


class _Comparison:
    """One comparison: both documents, pairs under way, and how many steps it has taken."""

    def __init__(self, reader: Any, writer: Any) -> None:
        self.reader_root, self.writer_root = reader, writer
        self.seen: set[tuple[int, int]] = set()
        self.kept: list[Any] = []  # so that no id is given to a second object
        self.steps = self.levels = 0
        self.until = time.thread_time() + MAX_CPU_S

    def step(self) -> bool:
        """Count a step; False if the comparison has taken too many or too long, or is too deep."""
        self.steps += 1
        return self.steps <= MAX_STEPS and self.levels <= MAX_LEVELS and time.thread_time() <= self.until


def json_differences(reader: Any, writer: Any) -> list[Difference]:
    """All reasons found why `reader` may refuse what `writer` allows.

    Args:
        reader: a JSON Schema's values.
        writer: another's.
    """
    return _compare(_Comparison(reader, writer), reader, writer, "")


def _compare(run: _Comparison, reader: Any, writer: Any, at: str) -> list[Difference]:
    if not run.step():
        return [TOO_LARGE.at(at)]
    reader, writer = resolved(reader, run.reader_root), resolved(writer, run.writer_root)
    known = _without_rules(reader, writer, at)
    if known is not None:
        return known
    writer = {} if writer is True else writer
    pair = (id(reader), id(writer))
    if pair in run.seen:
        return []
    run.seen.add(pair)
    run.kept += [reader, writer]
    run.levels += 1
    found = _alternatives(run, reader, writer, at)
    run.levels -= 1
    return found


def _without_rules(reader: Any, writer: Any, at: str) -> list[Difference] | None:
    """What is known of a pair before its keywords are compared; None: nothing."""
    if reader is True or reader == {} or writer is False or (same(reader, writer) and not _refers(reader)):
        return []
    if not isinstance(reader, dict | bool) or not isinstance(writer, dict | bool):
        return [] if same(reader, writer) else [NO_SCHEMA.at(at)]  # no draft checks what references lead to
    if reader is False:
        return [
            Difference(
                "NOTHING_ALLOWED",
                at,
                "The new schema allows no value here.",
                "Allowed: what the writer allows.",
            )
        ]
    return None


def _refers(values: Any) -> bool:
    return '"$ref"' in json.dumps(values)


def _alternatives(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str
) -> list[Difference]:
    choice = _choice_word(writer)
    if choice is not None:
        return [found for branch in writer[choice] for found in _compare(run, reader, branch, at)]
    if _lists_values(writer):
        return _values(reader, writer, at, run)
    before = set(run.seen) if "allOf" in writer else run.seen
    found = _any_of(run, reader, writer, at)
    for part in reader.get("allOf", []):
        found += _compare(run, part, writer, at)
    if found and _one_part_is_enough(run, reader, writer, at, before):
        return []
    return found + (_plain(run, reader, writer, at) if not found or "allOf" in reader else [])


def _lists_values(schema: dict[str, Any]) -> bool:
    return "enum" in schema or "const" in schema


def _choice_word(writer: dict[str, Any]) -> str | None:
    """Which keyword makes a schema a choice between others, whatever its own keywords; None: it is none."""
    if set(writer) & {"properties", "type", "allOf"}:
        return None
    return next((word for word in ("anyOf", "oneOf") if word in writer), None)


def _one_part_is_enough(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str, before: set[tuple[int, int]]
) -> bool:
    """Whether one part of the writer's allOf, with its other keywords, allows only what the reader does.

    Pairs that were compared since `before` may differ, and count as the same once they are seen: each part
    is compared without them.
    """
    rest = {key: value for key, value in writer.items() if key != "allOf"}
    for part in writer.get("allOf", []):
        if part is True:
            continue
        run.seen = set(before)
        if not _compare(run, reader, {**rest, **resolved(part, run.writer_root)}, at):
            return True
    return False


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
    found = type_differences(reader, writer, at)
    if found:
        return found
    shared = possible_types(writer)
    found = [*changed_constraints(reader, writer, at), *bound_differences(reader, writer, at, shared)]
    if _lists_values(reader):
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


def _object(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    found = [*_required(reader, writer, at), *_properties(run, reader, writer, at)]
    if rest := _compare(run, _content_model(reader), _content_model(writer), _below(at, "*")):
        allowed = "Allowed: additionalProperties as the writer has it, or wider."
        found.append(Difference("CONTENT_MODEL_NARROWED", at, rest[0].message, allowed))
    return found


def _content_model(schema: dict[str, Any]) -> Any:
    """What properties that a schema does not name may be."""
    return schema.get("additionalProperties", True)


def _below(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _required(reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    ours = reader.get("properties", {})
    found = []
    written = set(writer.get("required", []))
    for name in reader.get("required", []):
        has_default = isinstance(ours.get(name), dict) and "default" in ours[name]
        if name not in written and not has_default:
            message = "The reader requires the property, but the writer can omit it."
            allowed = "Allowed: an optional property, or one with a default."
            found.append(Difference("REQUIRED_ADDED", _below(at, name), message, allowed))
    return found


def _properties(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str
) -> list[Difference]:
    ours, theirs = reader.get("properties", {}), writer.get("properties", {})
    our_rest, their_rest = _content_model(reader), _content_model(writer)
    found: list[Difference] = []
    for name in {**ours, **theirs}:
        here = _below(at, name)
        if name in ours and name in theirs:
            found += _compare(run, ours[name], theirs[name], here)
        elif name in ours:
            found += _added(run, ours[name], their_rest, here)
        elif gone := _compare(run, our_rest, theirs[name], here):
            allowed = "Allowed: the property kept, or an open content model."
            found.append(Difference("PROPERTY_REMOVED_FROM_CLOSED_MODEL", here, gone[0].message, allowed))
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
        allowed = "Allowed: unchanged items."
        return (
            []
            if same(ours, theirs)
            else [Difference("CONSTRAINT_CHANGED", at, "The items by position differ.", allowed)]
        )
    return _compare(run, ours, theirs, f"{at}[]")
