"""JSON Schema's drafts: what a keyword means, or whether it means anything, depends on `$schema`."""

from typing import Any, Final

from weir.schemas.services.differences import Difference

_LATEST: Final = "https://json-schema.org/draft/2020-12/schema"  # also without `$schema`
_DEPENDENT: Final = frozenset(
    (
        "additionalItems", "const", "contains", "contentEncoding", "contentMediaType", "dependencies",
        "dependentRequired", "dependentSchemas", "else", "exclusiveMaximum", "exclusiveMinimum", "if",
        "maxContains", "minContains", "prefixItems", "propertyNames", "then", "unevaluatedItems",
        "unevaluatedProperties", "$dynamicRef", "$recursiveRef",
    )
)  # fmt: skip
_OF_NAMES: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_OF_VALUES: Final = ("enum", "const", "default", "examples")


def draft_differences(reader: Any, writer: Any) -> list[Difference]:
    """Why keywords that both schemas share may not mean the same; none where the drafts are the same, or no
    keyword is used whose meaning depends on them.

    Args:
        reader: a JSON Schema's values.
        writer: another's.
    """
    if _draft_of(reader) == _draft_of(writer):
        return []
    used = sorted(_keywords(reader) | _keywords(writer))
    if not used:
        return []
    message = f"Drafts differ, and {', '.join(used)} may not mean the same in both."
    return [Difference("CONSTRAINT_CHANGED", "", message, "Allowed: the $schema of the writer.")]


def _draft_of(schema: Any) -> str:
    named = schema.get("$schema") if isinstance(schema, dict) else None
    return (named if isinstance(named, str) else _LATEST).removesuffix("#")


def _keywords(root: Any) -> set[str]:
    """The keywords of a schema, and of all in it, that depend on the draft."""
    found = set[str]()
    left = [root]
    while left:
        schema = left.pop()
        if isinstance(schema, list):
            left += schema
        elif isinstance(schema, dict):
            found |= _DEPENDENT & schema.keys()
            if isinstance(schema.get("items"), list):
                found.add("items")
            for name, value in schema.items():
                if name in _OF_NAMES and isinstance(value, dict):
                    left += value.values()
                elif name not in _OF_VALUES:
                    left.append(value)
    return found
