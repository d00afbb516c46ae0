"""JSON Schema's drafts: what a keyword means, or whether it means anything, depends on `$schema`."""

import re
from collections.abc import Iterable
from typing import Any, Final

from jobs.formats.json_schema_budget import SCHEMAS_BY_NAME, VALUES
from weir.schemas.services.differences import Difference

_LATEST: Final = 2020  # also without `$schema`
_NAME: Final = re.compile(r"json-schema\.org/draft[-/]0?(\d+)")
_SINCE_6: Final = ("const", "contains", "exclusiveMaximum", "exclusiveMinimum", "propertyNames")
_SINCE_2019: Final = (
    "dependencies", "dependentRequired", "dependentSchemas", "maxContains", "minContains", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
# Keyword → the drafts that changed what it means; `items` that is a list.
_CHANGED_BY: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(_SINCE_6, (6,)),
    **dict.fromkeys(("if", "then", "else"), (7,)),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), (6, 7, 2019)),
    **dict.fromkeys(_SINCE_2019, (2019,)),
    "unevaluatedItems": (2019, 2020),
    **dict.fromkeys(
        ("additionalItems", "items", "prefixItems", "$dynamicRef", "$recursiveRef"), (2019, 2020)
    ),
}


def draft_differences(reader: Any, writer: Any) -> list[Difference]:
    """Why keywords that both schemas share may not mean the same; none where no keyword is used whose meaning
    has changed between their drafts.

    Args:
        reader: a JSON Schema's values.
        writer: another's.
    """
    older, newer = sorted((_draft_of(reader), _draft_of(writer)))
    used = sorted(
        word
        for word in _keywords((reader, writer))
        if any(older < changed <= newer for changed in _CHANGED_BY[word])
    )
    if not used:
        return []
    message = f"Drafts differ, and {', '.join(used)} may not mean the same in both."
    return [Difference("CONSTRAINT_CHANGED", "", message, "Allowed: the $schema of the writer.")]


def _draft_of(schema: Any) -> int:
    named = schema.get("$schema") if isinstance(schema, dict) else None
    found = _NAME.search(named) if isinstance(named, str) else None
    return int(found[1]) if found is not None else _LATEST


def _keywords(schemas: Iterable[Any]) -> set[str]:
    """The keywords of schemas, and of all in them, whose meaning depends on the draft."""
    found = set[str]()
    left = list(schemas)
    while left:
        schema = left.pop()
        if isinstance(schema, list):
            left += schema
        elif isinstance(schema, dict):
            found |= schema.keys() & _CHANGED_BY.keys() - {"items"}
            if isinstance(schema.get("items"), list):
                found.add("items")
            for name, value in schema.items():
                if name in SCHEMAS_BY_NAME and isinstance(value, dict):
                    left += value.values()
                elif name not in VALUES:
                    left.append(value)
    return found
