"""What the patterns of a JSON Schema may take: memory when the schema is made, time when a record is read."""

import json
import time
from typing import Any

import jsonschema_rs
import pytest

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.formats.json_schema import JsonSchemaError, json_schema_values, schema_validator
from jobs.formats.json_schema_budget import BudgetError, invalid_values
from jobs.formats.json_schema_patterns import PatternsError, pattern_extent, pattern_options

EMAIL = r"^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*)@(?:[a-z0-9-]+\.)+[a-z]{2,24}$"
USUAL = [
    "",
    "^[A-Z]{3}$",
    "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$",
    EMAIL,
    r"^\p{L}+$",
    r"^\p{L}{1,100}$",
    r"^\p{L}[\p{L}\p{N} '-]{0,63}$",
    r"^.{1,1000}$",
    r"^\S{1,200}$",
    r"^[A-Za-z0-9+/=]{1,4000}$",
    r"[^\x00-\x1f]{1,500}",
    r"^https?://[^\s/$.?#].[^\s]*$",
    r"^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$",
    r"(?i)^[a-zäöüß]{1,80}$",
    r"^[\u4e00-\u9fff\u{3040}-\u{309f}]{1,50}$",
]
# The library takes these for a small set, for a comment, and for what they look like.
HOSTILE = [
    "((a{50}){50}){60}",
    r"(\p{L}{50}){5}",
    "(?x)(a{90}#)\n#(\n){90}",
    "[[(](a{90}]{90}",
    "a{90}{90}{90}",
    "(((a{9}){9}){9}){9}{9,}",
]


def with_patterns(patterns: list[str]) -> dict[str, Any]:
    return {"type": "object", "patternProperties": {pattern: {"type": "string"} for pattern in patterns}}


@pytest.mark.parametrize("pattern", USUAL)
def test_usual_patterns_are_taken(pattern: str) -> None:
    """The library makes them within the size that was estimated."""
    json_schema_values(json.dumps({"properties": {"a": {"pattern": pattern}}}))
    limit = max(2_000, pattern_extent(pattern).size)
    options = jsonschema_rs.RegexOptions(size_limit=limit)
    assert jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options)


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_too_large_written_out_is_refused(pattern: str) -> None:
    with pytest.raises(JsonSchemaError, match="too large with its repetitions written out"):
        json_schema_values(json.dumps({"properties": {"a": {"pattern": pattern}}}))


@pytest.mark.parametrize(
    "schema",
    [
        with_patterns([f"(a{{50}}){{40}}{at}" for at in range(150)]),
        {"allOf": [{"properties": {"a": {"pattern": f"a{{4000}}{at}"}}} for at in range(150)]},
        {"propertyNames": {"anyOf": [{"pattern": rf"\p{{L}}{{100}}{at}"} for at in range(150)]}},
        {"$ref": "#/examples/0", "examples": [with_patterns([f".{{500}}{at}" for at in range(150)])]},
    ],
)
def test_patterns_that_would_take_much_memory_together_are_refused(schema: dict[str, Any]) -> None:
    """150 of several megabytes passed a gigabyte."""
    began = time.process_time()
    with pytest.raises(JsonSchemaError, match="too large together"):
        json_schema_values(json.dumps(schema))
    with pytest.raises(BudgetError):
        invalid_values(schema, [{"a": "b"}])
    assert time.process_time() - began < 1.0


def test_many_usual_patterns_are_taken() -> None:
    schema = {"properties": {f"p{at}": {"pattern": f"^[A-Z]{{3}}-{at}$"} for at in range(1_000)}}
    json_schema_values(json.dumps(schema))
    with pytest.raises(PatternsError):
        pattern_options(schema, with_patterns([f"[a-z]{{4000}}{at}" for at in range(3)]))


def test_an_email_address_is_looked_for_in_a_megabyte() -> None:
    """Within the budget of an answer's records, and quickly."""
    properties = {f"p{at}": {"type": "string", "pattern": f"^{at}|{EMAIL}"} for at in range(100)}
    validate = schema_validator(json.dumps({"properties": properties}))
    began = time.process_time()
    with bounded(Budget(300_000, 1.5)):
        assert validate(json.dumps({"p1": "a" * 990_000 + "@b.cc"}).encode()) is None
    assert time.process_time() - began < 1.0


def test_a_record_too_long_for_its_patterns_is_refused() -> None:
    """A megabyte of two letters, which meet a new state of this pattern at each step, took minutes."""
    validate = schema_validator(json.dumps({"properties": {"a": {"pattern": "[ab]*a[ab]{3000}c"}}}))
    began = time.process_time()
    found = validate(json.dumps({"a": "ab" * 450_000}).encode())
    assert found is not None
    assert (found.reason, "too long to be searched" in found.detail) == ("SCHEMA_MISMATCH", True)
    with bounded(Budget(20_000, 0.1)), pytest.raises(OverBudget):
        validate(json.dumps({"a": "ab" * 15_000}).encode())
    assert time.process_time() - began < 1.0


def test_the_same_pattern_in_many_parts_counts_as_often() -> None:
    parts = [{"properties": {"a": {"pattern": "[ab]*a[ab]{200}c"}}} for _ in range(500)]
    found = schema_validator(json.dumps({"allOf": parts}))(json.dumps({"a": "ab" * 5_000}).encode())
    assert found is not None
    assert "too long to be searched" in found.detail
    with pytest.raises(BudgetError, match="too much"):
        invalid_values({"allOf": parts}, [{"a": "ab" * 5_000}])


def test_a_stored_schema_with_too_large_patterns_refuses_records() -> None:
    """Schemas of streams were stored before patterns were bounded."""
    found = schema_validator(json.dumps({"properties": {"a": {"pattern": HOSTILE[0]}}}))(b'{"a":"b"}')
    assert found is not None
    assert "too large" in found.detail


def test_parts_below_sixteen_levels_count_for_records_that_reach_them() -> None:
    """References that unfold to a million parts cost nothing in shallow records, and minutes in deep ones."""
    definitions: dict[str, Any] = {"x0": {"minimum": 0}}
    for at in range(1, 8):
        definitions[f"x{at}"] = {"allOf": [{"$ref": f"#/$defs/x{at - 1}"}] * 20}
    schema: dict[str, Any] = {"$ref": "#/$defs/x7"}
    value: Any = 1
    for _ in range(17):
        schema, value = {"properties": {"a": schema}}, {"a": value}
    text = json.dumps({**schema, "$defs": definitions})
    json_schema_values(text)
    began = time.process_time()
    found = schema_validator(text)(json.dumps(value).encode())
    assert found is not None
    assert "too deep" in found.detail
    assert schema_validator(text)(b'{"a":{"a":{}}}') is None
    assert time.process_time() - began < 1.0
