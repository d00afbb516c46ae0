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
    "pattern", "uniqueItems", "$dynamicRef", "$recursiveRef", "contentMediaType", "contentEncoding",
)  # fmt: skip
# Keyword → the one beside which it holds even where it is not written, and its value there.
_IMPLIED: Final = {"minContains": ("contains", 1)}
_BRANCHES: Final = ("allOf", "anyOf", "oneOf", "if", "then", "else")
# Keyword → those by which a member counts as evaluated.
_EVALUATED_BY: Final = {
    "unevaluatedProperties": (
        "additionalProperties", "dependencies", "dependentSchemas", "patternProperties", "properties",
        *_BRANCHES,
    ),
    "unevaluatedItems": ("additionalItems", "contains", "items", "prefixItems", *_BRANCHES),
}  # fmt: skip
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


def changed_constraints(
    reader: dict[str, Any], writer: dict[str, Any], at: str, are_same: Callable[[Any, Any], bool]
) -> list[Difference]:
    """Constraints of `reader` that nothing here understands, and that `writer` does not have the same.

    Args:
        reader: a schema.
        writer: another.
        at: where both are.
        are_same: whether a part of the reader's means what one of the writer's does.
    """
    return [
        Difference(
            "CONSTRAINT_CHANGED",
            at,
            f"{word} differs between reader and writer.",
            f"Allowed: {word} unchanged{'' if word in _IMPLIED else ' or removed'}.",
        )
        for word in _NOT_COMPARED
        if (word in reader or _implied(reader, word) is not None)
        and not (
            are_same(
                reader.get(word, _implied(reader, word)),
                writer.get(word, _implied(writer, word)),
            )
            and _evaluates_all(word, reader, writer, are_same)
        )
        and not (word == "uniqueItems" and reader[word] is False)
    ]


def _implied(schema: dict[str, Any], word: str) -> Any:
    """The value of a keyword that is not there, where another one gives it one."""
    by, value = _IMPLIED.get(word, ("", None))
    return value if by in schema else None


def _evaluates_all(
    word: str, reader: dict[str, Any], writer: dict[str, Any], are_same: Callable[[Any, Any], bool]
) -> bool:
    """Whether what the writer evaluates, so that `word` says nothing of it, the reader does, too."""
    return all(
        by not in writer
        or (by == "properties" and reader.get(by, {}).keys() >= writer[by].keys())
        or are_same(reader.get(by), writer[by])
        for by in _EVALUATED_BY.get(word, ())
    )


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
