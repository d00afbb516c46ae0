"""JSON Schema's keywords that limit a value by itself: its type, its bounds, and those that are only compared
for being the same.
"""

from collections.abc import Callable
from operator import ge, le
from typing import Any, Final

from weir.schemas.services.differences import Difference

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_NOT_COMPARED: Final = (
    "not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames",
    "unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains", "multipleOf",
    "pattern", "uniqueItems",
    "additionalItems", "prefixItems", "patternProperties", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
# Keyword → the type that it bounds, and how the writer's bound must compare to the reader's.
_BOUNDS: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "minimum": ("number", ge),
    "exclusiveMinimum": ("number", ge),
    "minLength": ("string", ge),
    "minItems": ("array", ge),
    "minProperties": ("object", ge),
    "maximum": ("number", le),
    "exclusiveMaximum": ("number", le),
    "maxLength": ("string", le),
    "maxItems": ("array", le),
    "maxProperties": ("object", le),
}


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, where 1.0 is 1, and true is not, as it is in Python."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def possible_types(schema: dict[str, Any]) -> set[str]:
    """The types that values of a schema may have; an integer is a number."""
    given = schema.get("type", list(TYPES))
    found = set([given] if isinstance(given, str) else given)
    return found | {"integer"} if "number" in found else found


def type_differences(reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    """Types that `reader` rejects and `writer` allows; none: no difference."""
    missing = possible_types(writer) - possible_types(reader)
    if not missing:
        return []
    wanted = sorted(possible_types(writer) | possible_types(reader)) if "type" in writer else []
    message = f"The writer can produce {', '.join(sorted(missing))}, which the reader rejects."
    return [
        Difference(
            "TYPE_NARROWED",
            at,
            message,
            f"Allowed: the types {', '.join(wanted)}." if wanted else "Allowed: no type.",
        )
    ]


def changed_constraints(reader: dict[str, Any], writer: dict[str, Any], at: str) -> list[Difference]:
    """Constraints of `reader` that nothing here understands, and that `writer` does not have the same."""
    return [
        Difference(
            "CONSTRAINT_CHANGED",
            at,
            f"{word} differs between reader and writer.",
            f"Allowed: {word} unchanged or removed.",
        )
        for word in _NOT_COMPARED
        if word in reader
        and not same(reader[word], writer.get(word))
        and not (word == "uniqueItems" and reader[word] is False)
    ]


def _is_number(*bounds: Any) -> bool:
    return all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds)


def bound_differences(
    reader: dict[str, Any], writer: dict[str, Any], at: str, shared: set[str]
) -> list[Difference]:
    """Bounds of `reader` that values of `writer` may be beyond.

    A bound that is no number has to be the same: true beside `minimum` in draft 4, or values that no
    draft checks.

    Args:
        reader: a schema.
        writer: another.
        at: where both are.
        shared: the types of values that `writer` allows; a bound of any other type holds anyway.
    """
    kinds = {*shared, "number"} if "integer" in shared else shared
    found = []
    for word, (kind, holds) in _BOUNDS.items():
        if word not in reader or kind not in kinds or reader[word] is False:
            continue
        given = writer.get(word)
        if given != reader[word] and not (_is_number(given, reader[word]) and holds(given, reader[word])):
            shown = given if given is not None else "not set"
            message = f"The reader's {word} is {reader[word]}, the writer's is {shown}."
            found.append(
                Difference("RANGE_NARROWED", at, message, "Allowed: the writer's bound, or a wider one.")
            )
    return found
