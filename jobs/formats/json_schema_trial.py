"""Trying values against a JSON Schema that somebody wrote: one of two kilobytes may unfold to more than any machine can do.

Nothing can stop the library once it has begun, so what a trial may cost is counted before.
"""

from typing import Any, Final

import jsonschema_rs

MOST_COST: Final = 200_000  # parts of the schema that are looked at for one value
MOST_PARTS: Final = 20_000  # of a schema, counted once for each depth of the value at which it is met
# Words whose schemas look at the same value, and those whose schemas look at what is inside it.
_SAME: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
_INSIDE: Final = (
    "properties", "patternProperties", "additionalProperties", "propertyNames", "items", "prefixItems", "additionalItems", "contains",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_BY_NAME: Final = ("dependentSchemas", "dependencies", "properties", "patternProperties")
_UNKNOWN: Final = ("$dynamicRef", "$recursiveRef")


class NotTriedError(ValueError):
    """The schema cannot be tried within the bounds, or not at all."""


def refused_values(schema: dict[str, Any], values: list[Any]) -> list[Any]:
    """Which of the values the schema does not allow.

    Args:
        schema: a JSON Schema whose references stay inside it.
        values: JSON values.

    Raises:
        NotTriedError: it refers to something else, its patterns need more than a linear engine, or the trial would cost too much.
    """
    cost = _Cost(schema)
    left = MOST_COST
    for value in values:
        depth, size = _extent(value)
        left -= cost.of(schema, depth) * size
        if left < 0:
            raise NotTriedError("Validation would cost too much.")
    try:
        validator = jsonschema_rs.validator_for(schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions())
        return [value for value in values if not validator.is_valid(value)]
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise NotTriedError(str(error).splitlines()[0][:300]) from error


def trial_cost(schema: dict[str, Any], depth: int) -> int:
    """How many parts of a schema look at one place of a value that is `depth` deep, at most.

    Raises:
        NotTriedError: more than `MOST_COST`, or it cannot be told: the schema refers to something outside, or around in a circle.
    """
    return _Cost(schema).of(schema, depth)


def resolved(schema: Any, root: Any) -> Any:
    """The schema behind a local reference; one that leads nowhere, or around in a circle, stays as it is."""
    for _ in range(20):
        target = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(target, str) or not target.startswith("#"):
            return schema
        found: Any = root
        for part in target.lstrip("#").strip("/").split("/"):
            if part:
                found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if not isinstance(found, dict | bool):
            return schema
        schema = found
    return schema


class _Cost:
    """How many parts of a schema look at one place of a value, at most, by how deep the value goes below it."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[tuple[int, int], int] = {}
        self._under_way: set[tuple[int, int]] = set()

    def of(self, schema: Any, depth: int) -> int:
        """The cost, at most `MOST_COST`.

        Raises:
            NotTriedError: it is more, or cannot be told.
        """
        try:
            return self._of(schema, depth)
        except RecursionError as error:
            raise NotTriedError("The references of the schema are nested too deeply.") from error

    def _of(self, schema: Any, depth: int) -> int:
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), depth)
        if key in self._known:
            return self._known[key]
        if key in self._under_way or len(self._known) > MOST_PARTS or any(word in schema for word in _UNKNOWN):
            raise NotTriedError("The schema refers to itself, or is too large to validate with.")
        self._under_way.add(key)
        total = 1 + sum(self._of(part, depth) for word in _SAME for part in _parts(schema, word))
        if "$ref" in schema:
            total += self._of(self._target(schema["$ref"]), depth)
        if depth > 0:
            total += sum(self._of(part, depth - 1) for word in _INSIDE for part in _parts(schema, word))
        self._under_way.discard(key)
        if total > MOST_COST:
            raise NotTriedError("Validation would cost too much.")
        self._known[key] = total
        return total

    def _target(self, reference: Any) -> Any:
        asked = {"$ref": reference}
        found = resolved(asked, self._root)
        if found is asked:
            raise NotTriedError("A reference is external, broken or circular.")
        return found


def _parts(schema: dict[str, Any], word: str) -> list[Any]:
    """The schemas under a word: one, a list of them, or by name."""
    given = schema.get(word)
    if isinstance(given, dict) and word in _BY_NAME:
        return list(given.values())
    return given if isinstance(given, list) else [given] if isinstance(given, dict) else []


def _extent(value: Any) -> tuple[int, int]:
    """How deep a value goes, and how many values there are in it, itself included."""
    depth, size, level = -1, 0, [value]
    while level:
        depth, size = depth + 1, size + len(level)
        level = [part for one in level for part in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())]
    return depth, size


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is an external reference, which isn't supported")
