"""Reading the fields of JSON Schemas whose references unfold without bound."""

import json
import time
from typing import Any

import pytest

from jobs.base.types import LONG, STRING
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.json_schema import JsonSchemaError, json_schema_values
from jobs.formats.json_schema_budget import BudgetError, pointed, validation_cost
from jobs.formats.json_schema_fields import MAX_FIELDS, JsonSchemaFields, json_members


def unfolding_below(levels: int) -> dict[str, Any]:
    """Two kilobytes: properties in each other, and in the last one 20 to the power of 16 parts."""
    definitions: dict[str, Any] = {"x16": {"properties": {"z": {"type": "string"}}}}
    for at in range(16):
        definitions[f"x{at}"] = {"allOf": [{"$ref": f"#/$defs/x{at + 1}"}] * 20}
    schema: dict[str, Any] = {"$ref": "#/$defs/x0"}
    for at in range(levels):
        schema = {"type": "object", "properties": {f"p{levels - 1 - at}": schema}}
    return {**schema, "$defs": definitions}


def test_what_unfolds_below_the_counted_levels_is_refused() -> None:
    """The cost of validating counts 16 levels, and fields are read one level deeper."""
    schema = unfolding_below(17)
    json_schema_values(json.dumps(schema))
    began = time.process_time()
    with pytest.raises(JsonSchemaError, match=r"100,000 parts at p0\.p1\.p2"):
        json_members(schema)
    with pytest.raises(JsonSchemaError, match="unfold"):
        JsonSchemaFields(schema).type_at(tuple(f"p{at}" for at in range(17)))
    contract = StreamContract.model_validate(
        {
            "encoding": {"format": "json", "schema": json.dumps(schema)},
            "fields": [{"name": "a", "type": "string"}],
        }
    )
    (found,) = check_contract(contract)
    assert (found.code, "Nest or repeat fewer" in found.message) == ("FORMAT_UNSUPPORTED", True)
    assert time.process_time() - began < 5.0


def test_a_wide_schema_of_usual_size_is_read_for_each_of_its_fields() -> None:
    row = {"type": "object", "properties": {f"c{at}": {"type": "string"} for at in range(30)}}
    schema = {"properties": {f"r{at}": {"$ref": "#/$defs/row"} for at in range(600)}, "$defs": {"row": row}}
    fields = JsonSchemaFields(schema)
    assert len(fields.members()) == MAX_FIELDS
    for at in range(500):
        assert fields.type_at((f"r{at}", "c1")) is not None


@pytest.mark.parametrize(
    ("reference", "found"),
    [("#/anyOf/1", {"const": 1}), ("#/anyOf/01", None), ("#/anyOf/2", None), ("#/anyOf/x", None)],
)
def test_a_reference_leads_into_lists(reference: str, found: Any) -> None:
    assert pointed(reference, {"anyOf": [True, {"const": 1}]}) == found


def test_a_reference_of_many_characters_leads_nowhere() -> None:
    assert pointed("#" + "/a" * 3_000, {}) is None


BASE: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
EXTRA: dict[str, Any] = {
    "extra": {"type": "string"},
    "inner": {"$ref": "#/$defs/Base", "required": ["extra"]},
}


@pytest.mark.parametrize(
    ("draft", "found"),
    [
        ("https://json-schema.org/draft/2020-12/schema", {"id": False, "extra": True, "inner": True}),
        ("http://json-schema.org/draft-07/schema#", {"id": False}),
    ],
)
def test_what_stands_beside_a_reference_counts_since_2019(draft: str, found: dict[str, bool]) -> None:
    """As for who validates, and for who compares versions."""
    schema = {"$schema": draft, "$ref": "#/$defs/Base", "properties": EXTRA, "$defs": {"Base": BASE}}
    assert {field.name: field.nullable for field in json_members(schema)} == found
    fields = JsonSchemaFields(schema)
    assert (fields.type_at(("extra",)), fields.type_at(("inner", "id"))) == (
        (STRING, LONG) if "extra" in found else (None, None)
    )


def test_a_reference_to_itself_with_properties_beside_it_ends() -> None:
    schema = {"$ref": "#", "properties": {"a": {"type": "string"}}}
    assert [field.name for field in json_members(schema)] == ["a"]


def test_what_stands_beside_a_reference_on_the_way_costs() -> None:
    """The validator asks it of each value."""

    def chain(beside: int) -> dict[str, Any]:
        steps = {
            f"s{at}": {
                "$ref": f"#/$defs/s{at - 1}" if at else "#/$defs/end",
                "allOf": [{"minLength": n} for n in range(beside)],
            }
            for at in range(18)
        }
        return {"$ref": "#/$defs/s17", "$defs": {"end": {"type": "object"}, **steps}}

    assert validation_cost(chain(0), 1).parts < 100
    with pytest.raises(BudgetError):
        validation_cost(chain(2_000), 1)
