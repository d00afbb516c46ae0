"""Whether every document that one JSON Schema allows is allowed by another, proven part by part.

What the rules here do not understand counts as different unless it is the same on both sides: a registry may
refuse too much, never too little. After Confluent, a required property with a default may be added.
"""

import json
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from jobs.formats.json_schema_budget import BudgetError
from weir.schemas.services.differences import NO_SCHEMA, TOO_LARGE, Difference
from weir.schemas.services.json_disjoint import Disjointness
from weir.schemas.services.json_documents import JsonDocument, is_unknown, mean_the_same, ruling, same
from weir.schemas.services.json_drafts import draft_differences
from weir.schemas.services.json_keywords import (
    bound_differences,
    changed_constraints,
    possible_types,
    type_differences,
)
from weir.schemas.services.json_members import Members

MAX_STEPS: Final = 20_000
MAX_LEVELS: Final = 100  # of schemas inside schemas: references lead deeper than the text is nested
MAX_CPU_S: Final = 3.0  # processor time of this thread: steps differ in cost

_ANYTHING: Final[dict[str, Any]] = {}


class _Comparison:
    """One comparison: both documents, pairs under way, and how many steps it has taken."""

    def __init__(
        self, reader: JsonDocument, writer: JsonDocument, until: float, *, fills_defaults: bool
    ) -> None:
        self.reader, self.writer = reader, writer
        self.fills_defaults = fills_defaults
        self.seen: set[tuple[int, ...]] = set()
        self.kept: list[Any] = []  # so that no id is given to a second object
        self.steps = self.levels = 0
        self.until = until

    def step(self) -> bool:
        """Count a step; False if the comparison has taken too many or too long, or is too deep."""
        self.steps += 1
        return self.steps <= MAX_STEPS and self.levels <= MAX_LEVELS and time.thread_time() <= self.until

    def are_same(self, reader: Any, writer: Any) -> bool:
        """Whether two parts are the same, and so is all that they refer to."""
        return mean_the_same(reader, writer, self.reader, self.writer)

    def backwards(self) -> "_Comparison":
        """A comparison of the other direction, in what is left of the time. It proves what is allowed, so
        defaults fill nothing.
        """
        return _Comparison(self.writer, self.reader, self.until, fills_defaults=False)


def json_differences(reader: Any, writer: Any, *, fills_defaults: bool = True) -> list[Difference]:
    """All reasons found why `reader` may refuse what `writer` allows.

    Args:
        reader: a JSON Schema's values as `json_documents.bundled` makes them.
        writer: another's.
        fills_defaults: the reader is one that fills a missing property with its default, as a registry
            assumes; false: records are validated as they are.
    """
    if same(reader, writer):
        return []
    until = time.thread_time() + MAX_CPU_S
    run = _Comparison(JsonDocument(reader), JsonDocument(writer), until, fills_defaults=fills_defaults)
    return [*draft_differences(reader, writer), *_compare(run, reader, writer, "")]


def _compare(
    run: _Comparison, reader: Any, writer: Any, at: str, others: Sequence[Any] = ()
) -> list[Difference]:
    """Why the reader may refuse what the writer allows and none of some `others` of the writer's does."""
    if not run.step():
        return [TOO_LARGE.at(at)]
    reader, writer = run.reader.target(reader), run.writer.target(writer)
    known = _without_rules(run, reader, writer, at)
    if known is not None:
        return known
    writer = _ANYTHING if writer is True or is_unknown(writer) else writer
    pair = (id(reader), id(writer), *map(id, others))
    if pair in run.seen:
        return []
    run.seen.add(pair)
    run.kept += [reader, writer]
    run.levels += 1
    found = _alternatives(run, reader, writer, at, others)
    run.levels -= 1
    return found


def _allows(run: _Comparison, reader: Any, writer: Any, at: str, others: Sequence[Any] = ()) -> bool:
    """Whether there is no difference. Pairs that were compared in vain may differ, and would count as the
    same where they come again.
    """
    before = set(run.seen)
    if not _compare(run, reader, writer, at, others):
        return True
    run.seen = before
    return False


def _without_rules(run: _Comparison, reader: Any, writer: Any, at: str) -> list[Difference] | None:
    """What is known of a pair before its keywords are compared; None: nothing."""
    if reader is True or reader == {} or writer is False or run.are_same(reader, writer):
        return []
    if not isinstance(reader, dict | bool) or not isinstance(writer, dict | bool) or is_unknown(reader):
        return [NO_SCHEMA.at(at)]  # no draft checks what references lead to
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


def _alternatives(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str, others: Sequence[Any]
) -> list[Difference]:
    choice = _choice_word(writer)
    if choice is not None:
        if _choice_word(reader) == choice and run.are_same(reader[choice], writer[choice]):
            return []
        return [
            found
            for index, branch in enumerate(writer[choice])
            for found in _compare(
                run,
                reader,
                branch,
                at,
                [*others, *_without(writer[choice], index)] if choice == "oneOf" else others,
            )
        ]
    if _lists_values(writer):
        return _values(reader, writer, at, run)
    found = _any_of(run, reader, writer, at, others)
    for part in reader.get("allOf", []):
        if not any(run.are_same(part, given) for given in writer.get("allOf", [])):
            found += _compare(run, part, writer, at)
    return found + (_own(run, reader, writer, at) if not found or "allOf" in reader else [])


def _without(branches: list[Any], index: int) -> list[Any]:
    return [*branches[:index], *branches[index + 1 :]]


def _lists_values(schema: dict[str, Any]) -> bool:
    return "enum" in schema or "const" in schema


def _choice_word(schema: dict[str, Any]) -> str | None:
    """Which keyword makes a schema a choice between others, and nothing else; None: it is none."""
    return next((word for word in ("anyOf", "oneOf") if ruling(schema) == {word}), None)


def _own(run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    """Differences of the reader's keywords, but for its alternatives and the parts of its allOf."""
    before = set(run.seen) if "allOf" in writer else run.seen
    found = _plain(run, reader, writer, at)
    if found and "allOf" in writer:
        own = {word: part for word, part in reader.items() if word not in ("allOf", "anyOf", "oneOf")}
        run.seen = before
        if _one_part_is_enough(run, own, writer, at):
            return []
    return found


def _one_part_is_enough(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str, others: Sequence[Any] = ()
) -> bool:
    """Whether one part of the writer allows only what the reader does: of its allOf, with its type, or its
    alternatives.
    """
    of_all = {"type": writer["type"]} if "type" in writer else {}
    parts = [part for part in map(run.writer.target, writer.get("allOf", ())) if isinstance(part, dict)]
    alternatives = [{word: writer[word]} for word in ("anyOf", "oneOf") if word in writer]
    return any(
        _allows(run, reader, part, at, others)
        for part in (*({**of_all, **part} for part in parts), *alternatives)
    )


def _any_of(
    run: _Comparison, reader: dict[str, Any], writer: dict[str, Any], at: str, others: Sequence[Any]
) -> list[Difference]:
    found = []
    for word in ("anyOf", "oneOf"):
        if word in reader:
            gap = _chosen(run, word, reader[word], writer, at, others)
            if gap and not _one_part_is_enough(run, {word: reader[word]}, writer, at, others):
                found.append(gap)
    return found[:1]


def _chosen(
    run: _Comparison, word: str, branches: list[Any], writer: dict[str, Any], at: str, others: Sequence[Any]
) -> Difference | None:
    """Why what the writer allows may be allowed by none of some branches or, of a oneOf, by more than one."""
    overlaps = False
    for index, branch in enumerate(branches):
        if not _allows(run, branch, writer, at, others):
            continue
        rest = _without(branches, index) if word == "oneOf" else []
        if all(_refuses_all(run, branch, writer, others) for branch in rest):
            return None
        overlaps = True
    if overlaps:
        message = f"More than one of the reader's {word} may allow what the writer allows."
        allowed = "Allowed: alternatives that exclude each other, as by a constant property, or anyOf."
        return Difference("ALTERNATIVES_OVERLAP", at, message, allowed)
    message = f"None of the reader's {word} allows what the writer allows."
    return Difference(
        "MISSING_ALTERNATIVE", at, message, "Allowed: the alternatives of the writer, and more."
    )


def _refuses_all(run: _Comparison, reader: Any, writer: Any, others: Sequence[Any]) -> bool:
    """Whether a reader's branch surely allows nothing of what the writer does and its `others` don't."""
    if Disjointness(run.reader, run.writer, run.step).holds(reader, writer):
        return True
    return any(run.step() and not _compare(run.backwards(), other, reader, "") for other in others)


def _values(reader: dict[str, Any], writer: dict[str, Any], at: str, run: _Comparison) -> list[Difference]:
    """Validate each value of an enumeration."""
    given = writer["enum"] if "enum" in writer else [writer["const"]]
    try:
        invalid = run.reader.refused(reader, given)
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
    found = [
        *changed_constraints(reader, writer, at, run.are_same),
        *bound_differences(reader, writer, at, shared),
    ]
    if _lists_values(reader):
        allowed = "Allowed: no enumeration, or one that the writer also has."
        found.append(
            Difference(
                "VALUES_NARROWED", at, "The reader allows only certain values, the writer any.", allowed
            )
        )
    members = Members(
        run.reader, run.writer, partial(_compare, run), partial(_allows, run), run.fills_defaults
    )
    if "object" in shared:
        found += members.of_objects(reader, writer, at)
    if "array" in shared:
        found += members.of_arrays(reader, writer, at)
    return found
