"""Validates values against an untrusted JSON Schema within a budget: two kilobytes of schema may expand
without bound.

The library cannot be interrupted, so the cost of a validation is computed before it starts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urljoin

import jsonschema_rs

from jobs.formats.json_schema_patterns import PatternsError, own_patterns, pattern_extent, pattern_options

MAX_COST: Final = 200_000  # parts of the schema that are evaluated for one value
MAX_PARTS: Final = 20_000  # parts of a schema, counted once for each depth of the value at which they apply
MAX_STEPS: Final = 10_000_000  # signs of patterns times characters of values: at most a quarter of a second
MAX_REFERENCE: Final = 4_000  # characters of a reference, which is read wherever it stands
MAX_CHAIN: Final = 20  # references that lead to references
# Keywords whose schemas apply to the same value, and those whose schemas apply to its members.
_SAME_VALUE: Final = (
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
)
_MEMBERS: Final = (
    "properties", "patternProperties", "additionalProperties", "propertyNames", "items", "prefixItems",
    "additionalItems", "contains", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_ONE_OF_MEMBERS: Final = ("properties", "prefixItems")
_BY_NAME: Final = ("dependentSchemas", "dependencies", "properties", "patternProperties")
_UNKNOWN: Final = ("$dynamicRef", "$recursiveRef")
SCHEMAS_BY_NAME: Final = frozenset({*_BY_NAME, "$defs", "definitions"})
_PLACE: Final = re.compile("0|[1-9][0-9]{0,8}")
VALUES: Final = frozenset({"const", "default", "enum", "examples"})  # no schemas, whatever they look like


class BudgetError(ValueError):
    """Validation would exceed the budget, or its cost cannot be computed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Upper bounds for what applies to one part of a value.

    Attributes:
        parts: of the schema.
        signs: of the patterns that its text, or its name, is searched with (`json_schema_patterns.Extent`).
    """

    parts: int = 0
    signs: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.parts + other.parts, self.signs + other.signs)


def invalid_values(schema: dict[str, Any], values: list[Any]) -> list[Any]:
    """The values that the schema does not allow.

    Args:
        schema: a JSON Schema whose references stay inside it.
        values: JSON values.

    Raises:
        BudgetError: it has external references or patterns that need backtracking, or the cost exceeds
            `MAX_COST` or `MAX_STEPS`.
    """
    costs = _Costs(schema)
    parts, steps = MAX_COST, MAX_STEPS
    for value in values:
        extent = _extent(value)
        cost = costs.of(schema, extent.depth)
        parts -= cost.parts * extent.size
        steps -= cost.signs * extent.characters
        if parts < 0 or steps < 0:
            raise BudgetError("Validation would cost too much.")
    try:
        validator = validator_of(schema)
        return [value for value in values if not validator.is_valid(value)]
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise BudgetError(str(error).splitlines()[0][:300]) from error


def validator_of(schema: Any) -> Any:
    """The library's validator of a schema whose references stay inside it. Formats are not enforced: older
    drafts would, and what a format means differs from validator to validator.

    Raises:
        BudgetError: its patterns would become too large.
        ValueError, jsonschema_rs.ReferencingError: it has external references, or patterns that need
            backtracking.
    """
    try:
        options = pattern_options(schema)
    except PatternsError as error:
        raise BudgetError(str(error)) from error
    return jsonschema_rs.validator_for(
        schema, retriever=_refuse, pattern_options=options, validate_formats=False
    )


def validation_cost(schema: dict[str, Any], depth: int) -> Cost:
    """What applies to one part of a value of this `depth`.

    Raises:
        BudgetError: more than `MAX_COST` parts, or unknown: the schema has external or circular references.
    """
    return _Costs(schema).of(schema, depth)


def resolved(schema: Any, root: Any) -> Any:
    """The target of a local reference; a dangling or circular reference is returned unchanged."""
    for _ in range(MAX_CHAIN):
        target = schema.get("$ref") if isinstance(schema, dict) else None
        found = pointed(target, root) if isinstance(target, str) else None
        if found is None:
            return schema
        schema = found
    return schema


def knows_siblings(root: Any) -> bool:
    """Whether what stands beside a reference counts in a document: since draft 2019-09."""
    draft = root.get("$schema") if isinstance(root, dict) else None
    return not (isinstance(draft, str) and "json-schema.org/draft-0" in draft)


def with_siblings(schema: dict[str, Any], found: Any) -> dict[str, Any]:
    """A schema that has what stands beside the reference of one, and what that leads to."""
    beside = {word: part for word, part in schema.items() if word != "$ref"}
    return {**beside, "allOf": [*(beside.get("allOf") or ()), found]}


def pointed(reference: str, root: Any) -> dict[str, Any] | bool | None:
    """The schema that a reference inside a document leads to; None for another document's, for an anchor,
    where there is no schema, and for a reference of more than `MAX_REFERENCE` characters.

    Args:
        reference: an address with a JSON pointer, as ``#/$defs/a``.
        root: the document.
    """
    if len(reference) > MAX_REFERENCE:
        return None
    address, _, fragment = reference.partition("#")
    if address or (fragment and not fragment.startswith("/")):
        return None
    found: Any = root
    for part in unquote(fragment).split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(name)] if _PLACE.fullmatch(name) and int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict | bool) else None


def schemas_of(
    document: Any,
    base: str | None = None,
    *,
    embedded: bool = False,
    names: bool = False,
    own_word: str = "$id",
) -> Iterator[tuple[dict[str, Any], str, bool]]:
    """All schemas of a document that are objects, each with the address from which its references start
    (empty: there is none), and whether that is the address of a part with an `$id` of its own.

    Args:
        document: a JSON Schema's values.
        base: of what is around a part; None: the document is whole.
        embedded: what is around a part has an `$id` of its own.
        names: a part's members are schemas by name, and no keywords.
        own_word: the keyword of a schema's own address around a part; one with a `$schema` says its own.
    """
    if isinstance(document, dict) and "$schema" in document and not names:
        own_word = _word_of_addresses(document["$schema"])
    if isinstance(document, list):
        for part in document:
            yield from schemas_of(part, base or "", embedded=embedded, own_word=own_word)
    elif isinstance(document, dict):
        if not names:
            own = _own_address(document, own_word)
            embedded = embedded or (own != "" and base is not None)
            base = urljoin(base or "", own)
            yield document, base, embedded
        for word, part in document.items():
            if names or word not in VALUES:
                is_named = not names and word in SCHEMAS_BY_NAME
                yield from schemas_of(part, base or "", embedded=embedded, names=is_named, own_word=own_word)


def _word_of_addresses(draft: Any) -> str:
    """`id` up to draft 4; since then it is a keyword of whoever writes it, such as an owner's."""
    return "id" if isinstance(draft, str) and re.search("draft-0[34]", draft) else "$id"


def _own_address(schema: dict[str, Any], word: str) -> str:
    """The address that a schema gives itself with this keyword. A fragment alone is none."""
    given = schema.get(word)
    return given.partition("#")[0] if isinstance(given, str) else ""


class _Costs:
    """What applies to one part of a value, by the depth of the value below it."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._has_embedded: bool | None = None  # not known yet
        self._known: dict[tuple[int, int], Cost] = {}
        self._under_way: set[tuple[int, int]] = set()

    def of(self, schema: Any, depth: int) -> Cost:
        """The cost, up to `MAX_COST` parts.

        Raises:
            BudgetError: it is more, or unknown.
        """
        try:
            return self._of(schema, depth)
        except RecursionError as error:
            raise BudgetError("The references of the schema are nested too deeply.") from error

    def _of(self, schema: Any, depth: int) -> Cost:
        if not isinstance(schema, dict):
            return Cost(1)
        key = (id(schema), depth)
        if key in self._known:
            return self._known[key]
        if key in self._under_way or len(self._known) > MAX_PARTS or any(word in schema for word in _UNKNOWN):
            raise BudgetError("The schema refers to itself, or is too large to validate with.")
        self._under_way.add(key)
        total = Cost(1 + _compared_values(schema), _signs(schema)) + self._of_all(schema, _SAME_VALUE, depth)
        if "$ref" in schema:
            total += self._of(self._target(schema["$ref"]), depth)
        if depth > 0:
            total += self._of_all(schema, _MEMBERS, depth - 1)
        self._under_way.discard(key)
        if total.parts > MAX_COST:
            raise BudgetError("Validation would cost too much.")
        self._known[key] = total
        return total

    def _of_all(self, schema: dict[str, Any], words: tuple[str, ...], depth: int) -> Cost:
        """The cost of all schemas under these words. A member's text is searched by the patterns of one of
        the schemas that each go with a name or a place.
        """
        total = Cost()
        for word in words:
            costs = [self._of(part, depth) for part in _parts(schema, word)]
            signs = [cost.signs for cost in costs]
            total += Cost(
                sum(cost.parts for cost in costs),
                max(signs, default=0) if word in _ONE_OF_MEMBERS else sum(signs),
            )
        return total

    def _target(self, reference: Any) -> Any:
        if self._has_embedded is None:
            self._has_embedded = any(embedded for _, _, embedded in schemas_of(self._root))
        if self._has_embedded:  # what is below it is not counted from the root
            raise BudgetError("The schema has references, and a part with an $id of its own.")
        # One step: what stands beside a reference on the way counts, too.
        found = pointed(reference, self._root) if isinstance(reference, str) else None
        if found is None:
            raise BudgetError("A reference is external, broken or circular.")
        return found


def _parts(schema: dict[str, Any], word: str) -> list[Any]:
    """The schemas under a word: one, a list of them, or by name."""
    given = schema.get(word)
    if isinstance(given, dict) and word in _BY_NAME:
        return list(given.values())
    return given if isinstance(given, list) else [given] if isinstance(given, dict) else []


def _compared_values(schema: dict[str, Any]) -> int:
    """How many objects and lists an enumeration has: a value is compared with each of them."""
    given = schema.get("enum")
    return sum(isinstance(value, dict | list) for value in given) if isinstance(given, list) else 0


def _signs(schema: dict[str, Any]) -> int:
    """Signs of the patterns for a value's own text, and for the names of its members."""
    return sum(pattern_extent(pattern).signs for pattern in own_patterns(schema))


@dataclass(frozen=True, slots=True)
class _Extent:
    """The depth of a value, the number of values in it, itself included, and of characters in texts and
    names.
    """

    depth: int
    size: int
    characters: int


def _extent(value: Any) -> _Extent:
    depth, size, characters, level = -1, 0, 0, [value]
    while level:
        depth, size = depth + 1, size + len(level)
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                characters += sum(map(len, one))
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, str):
                characters += len(one)
        level = below
    return _Extent(depth, size, characters)


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is an external reference, which isn't supported")
