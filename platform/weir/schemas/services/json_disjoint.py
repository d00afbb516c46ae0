"""Whether no value is allowed by both of two JSON Schemas, as the branches of a `oneOf` need it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.json_schema_budget import BudgetError
from weir.schemas.services.json_documents import JsonDocument, is_unknown
from weir.schemas.services.json_keywords import possible_types

_MAX_LEVELS: Final = 12


@dataclass(frozen=True, slots=True)
class Disjointness:
    """Schemas of two documents, held against each other.

    Attributes:
        ours, theirs: the documents.
        step: counts a step; False if there may be no more.
    """

    ours: JsonDocument
    theirs: JsonDocument
    step: Callable[[], bool]

    def holds(self, one: Any, other: Any, levels: int = 0) -> bool:
        """Whether it is sure that no value is allowed by both.

        Args:
            one: a schema of `ours`.
            other: a schema of `theirs`.
            levels: how deep this is inside of the schemas that are compared.
        """
        one, other = self.ours.target(one), self.theirs.target(other)
        if one is False or other is False:
            return True
        if levels > _MAX_LEVELS or not self.step():
            return False
        if not isinstance(one, dict) or not isinstance(other, dict) or is_unknown(one) or is_unknown(other):
            return False
        return (
            not possible_types(one) & possible_types(other)
            or _refuses(self.theirs, other, one)
            or _refuses(self.ours, one, other)
            or self._by_parts(one, other, levels + 1)
            or self._by_properties(one, other, levels + 1)
        )

    def _by_parts(self, one: dict[str, Any], other: dict[str, Any], levels: int) -> bool:
        def against_other(part: Any) -> bool:
            return self.holds(part, other, levels)

        def against_one(part: Any) -> bool:
            return self.holds(one, part, levels)

        return any(
            any(map(against, schema.get("allOf", ())))
            or any(all(map(against, schema[word])) for word in ("anyOf", "oneOf") if word in schema)
            for schema, against in ((one, against_other), (other, against_one))
        )

    def _by_properties(self, one: dict[str, Any], other: dict[str, Any], levels: int) -> bool:
        """Objects of which a property that one of both requires can't be what both allow."""
        if possible_types(one) & possible_types(other) != {"object"}:
            return False
        required = [*one.get("required", ()), *other.get("required", ())]
        return any(self.holds(_property(one, name), _property(other, name), levels) for name in required)


def _property(schema: dict[str, Any], name: str) -> Any:
    named = schema.get("properties", {})
    if name in named:
        return named[name]
    return True if "patternProperties" in schema else schema.get("additionalProperties", True)


def _refuses(document: JsonDocument, schema: dict[str, Any], lister: dict[str, Any]) -> bool:
    """Whether a schema refuses all values that another one lists."""
    values = lister["enum"] if "enum" in lister else [lister["const"]] if "const" in lister else None
    if values is None:
        return False
    try:
        return len(document.refused(schema, values)) == len(values)
    except BudgetError:
        return False
