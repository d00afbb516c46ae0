"""A JSON Schema is refused or understood, whatever stands under a keyword: each draft checks only the
keywords it knows, and of what a reference leads to nothing at all.
"""

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weir.schemas.errors import RegistryError
from weir.schemas.services.json_compatibility import json_differences
from weir.schemas.services.parsing import parse_schema

pytestmark = pytest.mark.thorough

DRAFTS: Final = (
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)
KEYWORDS: Final = (
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor",
    "$recursiveRef", "$ref", "$schema", "$vocabulary", "additionalItems", "additionalProperties",
    "allOf", "anyOf", "const", "contains", "contentEncoding", "contentMediaType", "contentSchema",
    "default", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "deprecated",
    "description", "else", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "id",
    "if", "items", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains",
    "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern",
    "patternProperties", "prefixItems", "properties", "propertyNames", "readOnly", "required", "then",
    "title", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "writeOnly",
)  # fmt: skip
ODD: Final = (
    None, True, 0, 1.5, "", "a", "#", [], [3], ["a"], [{}], {}, {"a": None}, {"a": 3}, {"a": "b"},
    {"a": ["b"]}, {"a": {"a": 3}}, {"a": {"$ref": "#"}},
)  # fmt: skip
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.sampled_from(KEYWORDS) | st.text(max_size=3), parts, max_size=3)
    ),
    max_leaves=6,
)
PLAIN: Final[dict[str, Any]] = {
    "type": ["object", "array", "string", "number"],
    "properties": {"a": {"type": "string"}, "b": {}},
    "required": ["b"],
    "items": {"type": "string"},
    "minimum": 2,
    "exclusiveMinimum": 2,
    "maxItems": 4,
}


def is_refused_or_understood(schema: dict[str, Any]) -> None:
    try:
        parsed = parse_schema("JSON", json.dumps(schema), {}, normalize=True)
    except RegistryError:
        return
    assert parse_schema("JSON", parsed.text, {}, normalize=True).text == parsed.text
    for other in (PLAIN, {"enum": ["a", 1, {}]}, {"anyOf": [{"type": "string"}]}):
        json_differences(parsed.tree, other)
        json_differences(other, parsed.tree)
    assert json_differences(parsed.tree, parse_schema("JSON", parsed.text, {}).tree) == []


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_what_no_keyword_takes(keyword: str, draft: str) -> None:
    for odd in ODD:
        is_refused_or_understood({"$schema": draft, keyword: odd})
        is_refused_or_understood({"$schema": draft, "$ref": "#/x", "x": {keyword: odd}})


@given(draft=st.sampled_from(DRAFTS), below=st.sampled_from(("properties", "$defs", "x")),
       schema=st.dictionaries(st.sampled_from(KEYWORDS), JSON, min_size=1, max_size=3))  # fmt: skip
@settings(max_examples=300)
def test_any_values_under_any_keywords(draft: str, below: str, schema: dict[str, Any]) -> None:
    is_refused_or_understood({"$schema": draft, **schema})
    is_refused_or_understood({"$schema": draft, "$ref": f"#/{below}/a", below: {"a": schema}})


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_number_is_the_same_however_it_is_written(draft: str) -> None:
    is_refused_or_understood({"$schema": draft, "minContains": 0.0})
    is_refused_or_understood(
        {"$schema": draft, "minContains": 0.0, "dependentSchemas": {"a": {"const": [1.0]}}}
    )
    assert json_differences({"minContains": 1}, {"minContains": True})
