"""Hostile schemas are refused, or compared, in resource_limit time and memory (`docs/security.md#bodies`);
Avro's are in jobs/formats.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.formats.json_schema_budget import BudgetError, invalid_values
from tests.support.resource_limit import resource_limit
from weir.schemas.errors import RegistryError
from weir.schemas.services import levels
from weir.schemas.services.levels import differences
from weir.schemas.services.parsing import parse_schema


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    with resource_limit():
        yield


def doubling(word: str, levels: int = 60) -> dict[str, Any]:
    """Each level refers to the one below twice: written out it has 2 to the power of its levels parts."""
    parts: dict[str, Any] = {"l0": {"type": "string"}}
    for level in range(1, levels):
        below = {"$ref": f"#/$defs/l{level - 1}"}
        parts[f"l{level}"] = (
            {"properties": {"a": below, "b": below}} if word == "properties" else {word: [below, below]}
        )
    return {"$defs": parts, "$ref": f"#/$defs/l{levels - 1}"}


def pattern(text: str) -> dict[str, Any]:
    return {"type": "string", "pattern": text}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"n": value}
    return value


# A tree that a value of some depth walks in 2 to the power of that depth ways.
BRANCHING = {
    "$defs": {
        "t": {
            "anyOf": [
                {"properties": {"n": {"$ref": "#/$defs/t"}}, "required": ["x"]},
                {"properties": {"n": {"$ref": "#/$defs/t"}}},
            ]
        }
    },
    "$ref": "#/$defs/t",
}
LONG = "a" * 60 + "b"
MANY = {"anyOf": [{"type": "string", "minLength": n} for n in range(1, 3_000)]}
HUGE = {
    "type": "object",
    "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(2_000)},
}


@pytest.mark.parametrize(
    ("reader", "writer"),
    [
        (doubling("allOf"), {"enum": ["x"]}),
        (doubling("anyOf"), {"enum": [1]}),
        (doubling("oneOf"), {"const": "x"}),
        (doubling("properties"), {"enum": [nested(55)]}),
        (doubling("allOf"), doubling("anyOf")),
        (doubling("properties"), doubling("properties", 59)),
        (BRANCHING, {"enum": [nested(50)]}),
        (pattern(r"^(a|aa)+(\1)*$"), {"enum": [LONG + str(n) for n in range(1_000)]}),
        (pattern(r"^(?=(a+)+$)(a|aa)+(?!x)$"), {"enum": [LONG]}),
        (MANY, {"anyOf": [{"type": "string", "maxLength": n} for n in range(3_000)]}),
        (
            {"$defs": {"big": HUGE}, "anyOf": [{"minLength": 3}] * 100},
            {"anyOf": [{"enum": ["a", n]} for n in range(300)]},
        ),
        (
            {"$defs": {"big": HUGE}, "anyOf": [{"$ref": "#/$defs/big"}] * 140},
            {"$defs": {"big": {**HUGE, "title": "t"}}, "anyOf": [{"$ref": "#/$defs/big"}] * 140},
        ),
        ({"$ref": "#"}, {"enum": [1]}),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {"enum": [1]}),
        (
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
            {"enum": [1]},
        ),
    ],
)
def test_comparing_ends(reader: Any, writer: Any) -> None:
    sides = [parse_schema("JSON", json.dumps(side), {}) for side in (reader, writer)]
    gaps = differences(*sides)
    assert all(gap.message and gap.allowed for gap in gaps)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"array","items":' * 50_000 + "true" + "}" * 50_000,
        "[" * 100_000,
        json.dumps({"patternProperties": {"(" * 1_500 + ")" * 1_500: {}}}),
        json.dumps(pattern("((((a{50}){50}){50}){5})")),
        json.dumps(pattern("a" * 5_001)),
        json.dumps({"$ref": "http://127.0.0.1:9/x.json"}),
        json.dumps({"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
        json.dumps({"$id": "http://example.org/a/", "$ref": "../b"}),
        json.dumps({"$schema": "http://127.0.0.1:9/meta.json"}),
        json.dumps({"enum": ["x" * 300_000]}),
    ],
)
def test_texts_that_are_refused(text: str) -> None:
    with pytest.raises(RegistryError):
        parse_schema("JSON", text, {})


def test_a_long_plain_pattern_is_registered_as_a_contract_takes_it() -> None:
    assert parse_schema("JSON", json.dumps(pattern("a" * 4_000)), {})


def test_versions_without_end_are_not_compared_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "MAX_CPU_S", -1.0)
    same = parse_schema("JSON", '{"type":"string"}', {})
    (found,) = levels.conflicts(same, [(version, same) for version in range(1, 1_000)], "FULL_TRANSITIVE")
    assert (found.version, found.difference.rule) == (1, "NOT_COMPARED")
    assert levels.compared([1, 2], "NONE") == []


def test_patterns_that_would_take_much_memory_are_not_registered() -> None:
    """Look-around, which records aren't validated with, is taken in small patterns."""
    for looks in ("(?=a)[a-z]{1,80}", r"^(?!0000)\d{4}(?<!9999)$", r"(a)\1"):
        parse_schema("JSON", json.dumps(pattern(looks)), {})
    large = [f"(?=((a{{50}}){{50}}){{{at}}})" for at in range(10, 160)]
    many = [f"(?=(a{{50}}){{40}}{at})" for at in range(150)]
    for patterns, told in ((large, r"The pattern \(\?=\(\(a.* is too large"), (many, "The 150 patterns")):
        text = json.dumps({"allOf": [pattern(each) for each in patterns]})
        with pytest.raises(RegistryError, match=told):
            parse_schema("JSON", text, {})
        with pytest.raises(RegistryError, match=told):
            parse_schema("JSON", '{"$ref":"other.json"}', {"other.json": text})


@pytest.mark.thorough
def test_unions_of_many_records_are_compared() -> None:
    """Avro: every branch of one side may be looked for in all of the other's."""

    def union(prefix: str) -> Any:
        branches = [
            {"type": "record", "name": f"{prefix}{n}", "fields": [{"name": "a", "type": "int"}]}
            for n in range(300)
        ]
        return {"type": "record", "name": "R", "fields": [{"name": "u", "type": branches}]}

    reader, writer = (parse_schema("AVRO", json.dumps(union(prefix)), {}) for prefix in "ab")
    assert differences(reader, writer)


@pytest.mark.parametrize(
    ("schema", "values", "refused"),
    [
        ({"type": "string", "minLength": 2}, ["a", "ab", 3], ["a", 3]),
        ({"$defs": {"s": {"type": "string"}}, "items": {"$ref": "#/$defs/s"}}, [["a"], [1], []], [[1]]),
        (
            {
                "$defs": {"t": {"properties": {"n": {"$ref": "#/$defs/t"}}, "type": "object"}},
                "$ref": "#/$defs/t",
            },
            [{"n": {}}, {"n": 1}],
            [{"n": 1}],
        ),
        (
            {"anyOf": [{"properties": {"a": {"enum": [1]}}, "required": ["a"]}, {"type": "null"}]},
            [{"a": 1}, {"a": 2}, None],
            [{"a": 2}],
        ),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{"a": 1}, {"a": 1, "b": 2}], [{"a": 1}]),
        (pattern("^a+$"), ["aaa", LONG], [LONG]),
        (doubling("allOf", 8), ["x", 1], [1]),
        (
            {"items": {"items": {"items": {"items": {"type": "integer"}}}}},
            [[[[[1]]]], [[[["x"]]]]],
            [[[[["x"]]]]],
        ),
    ],
)
def test_values_are_tried(schema: Any, values: list[Any], refused: list[Any]) -> None:
    assert invalid_values(schema, values) == refused


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "#/$defs/none"}, {"$ref": "other.json"}, {"$dynamicRef": "#x"}, {"$ref": 5}, pattern("(?=a)b")],
)
def test_what_cannot_be_tried_says_so(schema: Any) -> None:
    with pytest.raises(BudgetError):
        invalid_values(schema, ["x"])
