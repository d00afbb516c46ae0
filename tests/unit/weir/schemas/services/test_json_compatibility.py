"""What a comparison of JSON Schemas calls compatible, a validator finds so: each value that the writer's
schema allows, the reader's allows too.
"""

import json
from typing import Any, Final

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weir.schemas.services.json_compatibility import json_differences
from weir.schemas.services.levels import differences
from weir.schemas.services.parsing import parse_schema

INT: Final = {"type": "integer"}
TEXT: Final = {"type": "string"}
OBJECT: Final = {"type": "object"}
CLOSED: Final = {**OBJECT, "additionalProperties": False}
REF: Final = {"$ref": "#/$defs/d"}

Case = tuple[Any, Any, Any]
# (reader, writer, a value that the writer's schema allows and the reader's does not)
REFUSED: Final[dict[str, Case]] = {
    "both branches of the reader's oneOf": ({"oneOf": [INT, {"type": "number"}]}, INT, 1),
    "a branch of a oneOf made wider, over another": (
        {"oneOf": [{"required": ["a"]}, {"type": "object"}]},
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": 1},
    ),
    "properties by pattern, where the reader is closed": (
        CLOSED, {**CLOSED, "patternProperties": {"^s_": TEXT}}, {"s_x": ""},
    ),
    "a property that the writer allows by pattern": (
        {"properties": {"s_x": INT}}, {"patternProperties": {"^s_": TEXT}, "additionalProperties": INT},
        {"s_x": ""},
    ),
    "a pattern's schema behind a reference": (
        {"patternProperties": {"^s": REF}, "$defs": {"d": INT}},
        {"patternProperties": {"^s": REF}, "$defs": {"d": TEXT}},
        {"s": ""},
    ),
    "what is not, behind a reference": (
        {"not": REF, "$defs": {"d": TEXT}}, {"not": REF, "$defs": {"d": INT}}, "",
    ),
    "a property that nothing of the reader evaluates": (
        {"properties": {"a": INT}, "unevaluatedProperties": False},
        {"properties": {"a": INT, "b": INT}, "unevaluatedProperties": False},
        {"b": 1},
    ),
    "a property that only a part of the writer evaluates": (
        {"unevaluatedProperties": False},
        {"unevaluatedProperties": False, "allOf": [{"properties": {"b": INT}}]},
        {"b": 1},
    ),
    "items by position in the writer alone": (
        {"items": INT}, {"prefixItems": [TEXT], "items": INT}, [""],
    ),
    "an item that nothing of the reader evaluates": (
        {"unevaluatedItems": False}, {"prefixItems": [INT], "unevaluatedItems": False}, [1],
    ),
    "what stands beside a reference": (
        {**REF, "maximum": 3, "$defs": {"d": INT}}, {**REF, "$defs": {"d": INT}}, 4,
    ),
    "a reference to a part of a list": (
        {"$ref": "#/anyOf/0", "anyOf": [TEXT, {}]}, INT, 1,
    ),
    "a reference with escapes of an address": (
        {"$ref": "#/$defs/a%20b", "$defs": {"a b": TEXT}}, INT, 1,
    ),
    "a reference to an anchor": (
        {"$ref": "#t", "$defs": {"d": {**TEXT, "$anchor": "t"}}}, INT, 1,
    ),
    "an anchor that moved": (
        {"properties": {"a": {"$ref": "#t"}}, "$defs": {"d": {**TEXT, "$anchor": "t"}}},
        {"properties": {"a": {"$ref": "#t"}}, "$defs": {"d": {**INT, "$anchor": "t"}}},
        {"a": 1},
    ),
    "a part of the writer's allOf beside a closed model": (
        {"allOf": [{**CLOSED, "properties": {"b": INT}}]},
        {**CLOSED, "properties": {"a": TEXT}, "allOf": [{"properties": {"b": INT}}]},
        {"a": ""},
    ),
    "a count of items that is 1 where nothing says it": (
        {"contains": INT}, {"contains": INT, "minContains": 0}, [],
    ),
}  # fmt: skip
# (reader, writer) that are compatible, and that a comparison can tell
ALLOWED: Final[dict[str, tuple[Any, Any]]] = {
    "another type in a oneOf": ({"oneOf": [INT, TEXT, {"type": "null"}]}, {"oneOf": [INT, TEXT]}),
    "branches told apart by a constant": (
        {"oneOf": [{**OBJECT, "properties": {"k": {"const": k}, "v": {}}, "required": ["k"]} for k in "abc"]},
        {"oneOf": [{**OBJECT, "properties": {"k": {"const": k}, "v": INT}, "required": ["k"]} for k in "ab"]},
    ),
    "a branch of a oneOf that is as it was": (
        {"oneOf": [{"minLength": 3, "type": "string"}, {"type": "string", "maxLength": 9}], "title": "t"},
        {"oneOf": [{"minLength": 3, "type": "string"}, {"type": "string", "maxLength": 9}]},
    ),
    "another property beside alternatives": (
        {**OBJECT, "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {**OBJECT, "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    ),
    "a pattern's schema made wider": (
        {"patternProperties": {"^s": {"type": "number"}}}, {"patternProperties": {"^s": INT}},
    ),
    "a property that the writer allows by pattern": (
        {"properties": {"s_x": {}}, "patternProperties": {"^s_": TEXT}}, {"patternProperties": {"^s_": TEXT}},
    ),
    "items by position made wider": (
        {"prefixItems": [{"type": "number"}], "items": False}, {"prefixItems": [INT], "items": False},
    ),
    "what stands beside a reference": (
        {**REF, "maximum": 4, "$defs": {"d": {"type": "number"}}}, {**REF, "maximum": 3, "$defs": {"d": INT}},
    ),
    "a count of items that is written out": (
        {"contains": INT}, {"contains": INT, "minContains": 1},
    ),
    "words beside a reference": ({**REF, "description": "d", "$defs": {"d": INT}}, INT),
    "what draft 7 ignores beside a reference": (
        {"$schema": "http://json-schema.org/draft-07/schema#", **REF, "maximum": 3, "$defs": {"d": INT}}, INT,
    ),
}  # fmt: skip

LEAVES: Final = (
    True, INT, TEXT, {"type": "number"}, {"type": ["integer", "null"]}, {"const": 1}, {"enum": [1, "x"]},
    {"minimum": 1}, {"type": "integer", "maximum": 1}, {"type": "array"}, OBJECT, False,
)  # fmt: skip
NESTED: Final = ("additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "not")
SEVERAL: Final = ("prefixItems", "allOf", "anyOf", "oneOf")
BY_NAME: Final = {"properties": "ab", "patternProperties": ("^a", "b$")}
FIXED: Final[dict[str, tuple[Any, ...]]] = {
    "type": ("object", "array", "integer", ["object", "array"]),
    "required": (["a"], ["b"]),
    "$ref": ("#/$defs/d",),
}


@st.composite
def part_of_schema(draw: st.DrawFn, levels: int = 2) -> Any:
    if levels == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from((*LEAVES, REF)))
    return draw(object_schema(levels))


@st.composite
def object_schema(draw: st.DrawFn, levels: int = 3) -> dict[str, Any]:
    words = st.sampled_from((*NESTED, *SEVERAL, *BY_NAME, *FIXED))
    below = part_of_schema(levels - 1)
    made: dict[str, Any] = {}
    for word in draw(st.lists(words, min_size=1, max_size=3, unique=True)):
        if word in FIXED:
            made[word] = draw(st.sampled_from(FIXED[word]))
        elif word in BY_NAME:
            made[word] = {name: draw(below) for name in BY_NAME[word][: draw(st.integers(1, 2))]}
        elif word in SEVERAL:
            made[word] = [draw(below) for _ in range(draw(st.integers(1, 2)))]
        else:
            made[word] = draw(below)
    return made


@st.composite
def whole_schema(draw: st.DrawFn) -> dict[str, Any]:
    return {**draw(object_schema()), "$defs": {"d": draw(st.sampled_from(LEAVES))}}


_PLAIN: Final = (1, 2, 0.5, "x", None, [], [1], ["x"], {}, {"a": 1}, {"b": "x"})
VALUES: Final = (
    *_PLAIN,
    *({"a": one, "b": other} for one in _PLAIN for other in _PLAIN),
    *([one, other] for one in _PLAIN for other in _PLAIN),
)


def allows(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema).is_valid(value)


@pytest.mark.parametrize(("reader", "writer", "value"), REFUSED.values(), ids=REFUSED)
def test_what_a_reader_may_refuse_is_no_compatible_change(reader: Any, writer: Any, value: Any) -> None:
    assert allows(writer, value)
    assert not allows(reader, value)
    assert json_differences(reader, writer)


@pytest.mark.parametrize(("reader", "writer"), ALLOWED.values(), ids=ALLOWED)
def test_a_wider_schema_is_compatible(reader: Any, writer: Any) -> None:
    assert json_differences(reader, writer) == []


def test_the_schemas_of_references_are_compared() -> None:
    order = json.dumps({"properties": {"total": {"$ref": "money.json#/$defs/m"}}})
    before, after, wider = (
        parse_schema(
            "JSON", order, {"money.json": json.dumps({"$defs": {"m": {"properties": {"cents": of}}}})}
        )
        for of in (INT, TEXT, {"type": "number"})
    )
    assert [gap.path for gap in differences(after, before)] == ["total.cents"]
    assert differences(wider, before) == differences(before, before) == []


def test_references_of_references() -> None:
    texts = {"c.json": '{"type":"integer"}', "b.json": '{"$ref":"c.json"}'}
    both = [
        parse_schema("JSON", '{"items":{"$ref":"b.json"}}', {**texts, "c.json": of})
        for of in ('{"type":"integer"}', '{"type":"string"}')
    ]
    assert [gap.path for gap in differences(both[1], both[0])] == ["[]"]


def test_a_reference_is_found_by_any_property_and_whatever_ids_there_are() -> None:
    """A property may be called as a keyword, and a schema that is referred to gives itself an address."""
    uses = {"$id": "http://example.org/order", "properties": {"default": {"$ref": "money"}}}
    money = {"$id": "http://example.org/money", "$ref": "money#/$defs/m"}
    before, after, wider = (
        parse_schema("JSON", json.dumps(uses), {"money": json.dumps({**money, "$defs": {"m": of}})})
        for of in (INT, TEXT, {"type": "number"})
    )
    assert [gap.path for gap in differences(after, before)] == ["default"]
    assert differences(wider, before) == differences(before, before) == []


@pytest.mark.thorough
@given(reader=whole_schema(), writer=whole_schema())
@settings(max_examples=600)
def test_any_schemas(reader: dict[str, Any], writer: dict[str, Any]) -> None:
    if json_differences(reader, writer):
        return
    by_reader, by_writer = (jsonschema_rs.validator_for(schema) for schema in (reader, writer))
    refused = [value for value in VALUES if by_writer.is_valid(value) and not by_reader.is_valid(value)]
    assert refused == []


@given(schema=whole_schema())
@settings(max_examples=200)
def test_a_schema_is_compatible_with_itself(schema: dict[str, Any]) -> None:
    assert json_differences({**schema, "title": "t"}, schema) == []


D7: Final = "http://json-schema.org/draft-07/schema#"
LATEST: Final = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    ("part", "draft", "other"),
    [
        ({"type": "object", "unevaluatedProperties": False}, LATEST, D7),
        ({"dependentRequired": {"a": ["b"]}}, LATEST, D7),
        ({"const": 1}, D7, "http://json-schema.org/draft-04/schema#"),
        ({"contentMediaType": "application/json"}, D7, LATEST),
    ],
)
def test_a_keyword_that_depends_on_the_draft_is_not_the_same_in_another(
    part: dict[str, Any], draft: str, other: str
) -> None:
    schema = {"type": "object", "properties": {"p": part}}
    reader, writer = {"$schema": draft, **schema}, {"$schema": other, **schema}
    (found,) = json_differences(reader, writer)
    assert found.rule == "CONSTRAINT_CHANGED"
    assert next(iter(part.keys() - {"type"})) in found.message
    plain = {"type": "object", "properties": {"const": TEXT}, "required": ["const"]}
    assert json_differences({"$schema": draft, **plain}, {"$schema": other, **plain}) == []


def test_a_keyword_that_means_the_same_in_both_drafts_may_stay() -> None:
    schema = {"properties": {"n": {"exclusiveMinimum": 0, "const": 1}}, "if": {"const": 1}, "then": OBJECT}
    assert json_differences({"$schema": D7, **schema}, schema) == []
    assert json_differences({"$schema": LATEST, **schema}, schema) == []


def test_content_is_compared() -> None:
    reader, writer = {"contentEncoding": "base64"}, {"$schema": LATEST}
    assert [gap.rule for gap in json_differences(reader, {})] == ["CONSTRAINT_CHANGED"]
    assert json_differences({}, writer) == []


def test_a_default_fills_nothing_where_records_are_validated_as_they_are() -> None:
    properties = {"id": TEXT, "n": {**INT, "default": 1}}
    reader = {**OBJECT, "properties": properties, "required": ["id", "n"]}
    writer = {**OBJECT, "properties": properties, "required": ["id"]}
    assert json_differences(reader, writer) == []
    assert [gap.rule for gap in json_differences(reader, writer, fills_defaults=False)] == ["REQUIRED_ADDED"]
