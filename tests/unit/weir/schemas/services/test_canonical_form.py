"""Normal forms: what means the same is the same text, what does not stays apart."""

import json
from typing import Any

import pytest

from jobs.formats.avro_schema import parse_avro
from weir.schemas.services.avro_compatibility import avro_differences
from weir.schemas.services.canonical_form import canonical_avro, canonical_json_schema
from weir.schemas.services.parsing import parse_schema


def record(**more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}], **more}


SAME_AVRO: list[tuple[str, Any, Any]] = [
    ("a primitive as an object", {"type": "string"}, "string"),
    ("a primitive in objects", {"type": {"type": {"type": "int"}}}, "int"),
    ("a namespace and a full name", record(namespace="shop"), record(name="shop.Order")),
    ("a full name beside a namespace, which counts nothing", record(name="shop.Order", namespace="other"),
     record(name="shop.Order")),
    ("attributes in another order", record(doc="d", x=1), {"x": 1, "doc": "d", **record()}),
    ("aliases in another order, short and full", record(namespace="s", aliases=["B", "s.A"]),
     record(name="s.Order", aliases=["s.A", "s.B"])),
    ("no aliases", record(aliases=[]), record()),
    (
        "a field's order that holds anyway",
        record(fields=[{"name": "id", "type": {"type": "long"}, "order": "ascending"}]),
        record(fields=[{"type": "long", "name": "id"}]),
    ),
    (
        "names within a namespace",
        record(namespace="s", fields=[{"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["X"]}},
            {"name": "b", "type": "E"}]),
        record(
            name="s.Order",
            fields=[{"name": "a", "type": {"type": "enum", "name": "E", "namespace": "s", "symbols": ["X"]}},
                {"name": "b", "type": "s.E"}],
        ),
    ),
    ("inside arrays, maps and unions",
     ["null", {"type": "array", "items": {"type": "map", "values": {"type": "int"}}}],
     ["null", {"items": {"values": "int", "type": "map"}, "type": "array"}]),
    ("a logical type with its attributes in another order",
     {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
     {"scale": 2, "type": "bytes", "precision": 4, "logicalType": "decimal"}),
]  # fmt: skip
OTHER_AVRO: list[tuple[str, Any, Any]] = [
    ("a doc", record(doc="d"), record()),
    ("a default", record(fields=[{"name": "id", "type": "long", "default": 0}]), record()),
    ("a default of a number with a point, which is of another branch",
     record(fields=[{"name": "id", "type": ["long", "double"], "default": 1.0}]),
     record(fields=[{"name": "id", "type": ["long", "double"], "default": 1}])),
    ("a default of null", record(fields=[{"name": "id", "type": ["null", "long"], "default": None}]),
     record(fields=[{"name": "id", "type": ["null", "long"]}])),
    ("a logical type", {"type": "int", "logicalType": "date"}, "int"),
    ("the order of a union", ["null", "int"], ["int", "null"]),
    ("the order of fields", record(fields=[{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]),
     record(fields=[{"name": "b", "type": "int"}, {"name": "a", "type": "int"}])),
    ("a namespace", record(namespace="shop"), record()),
    ("an alias", record(aliases=["A"]), record()),
    ("the order of a field's aliases",
     record(fields=[{"name": "id", "type": "long", "aliases": ["b", "a"]}]),
     record(fields=[{"name": "id", "type": "long", "aliases": ["a", "b"]}])),
    *((f"a field's own {name}", record(fields=[{"name": "id", "type": "long", name: 1}]), record())
      for name in ("size", "values", "items", "symbols", "namespace", "x")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"), [each[1:] for each in SAME_AVRO], ids=[each[0] for each in SAME_AVRO]
)
def test_avro_that_means_the_same(one: Any, other: Any) -> None:
    first, second = (json.dumps(canonical_avro(each, [])) for each in (one, other))
    assert first == second
    assert json.dumps(canonical_avro(json.loads(first), [])) == first
    before, after = parse_avro(json.dumps(one)), parse_avro(first)
    assert avro_differences(before, after) == avro_differences(after, before) == []


@pytest.mark.parametrize(
    ("one", "other"), [each[1:] for each in OTHER_AVRO], ids=[each[0] for each in OTHER_AVRO]
)
def test_avro_that_does_not(one: Any, other: Any) -> None:
    assert json.dumps(canonical_avro(one, [])) != json.dumps(canonical_avro(other, []))


def test_a_name_without_namespace_inside_one_stays_without() -> None:
    inner = {"type": "fixed", "name": "F", "namespace": "", "size": 4}
    given = record(
        namespace="shop",
        fields=[{"name": "a", "type": inner}, {"name": "b", "type": {"type": "array", "items": "F"}}],
    )
    found = canonical_avro(given, [])
    read = parse_avro(json.dumps(found))
    assert read.fields[0].type.name == "F"
    assert read.fields[1].type.parts[0] is read.fields[0].type


def test_a_recursive_type_and_one_of_a_reference() -> None:
    tree = {
        "type": "record",
        "name": "Node",
        "namespace": "t",
        "fields": [{"name": "next", "type": ["null", "Node"]}],
    }
    assert canonical_avro(tree, [])["fields"][0]["type"] == ["null", "t.Node"]
    using = {"type": "record", "name": "Top", "namespace": "t", "fields": [{"name": "n", "type": "Node"}]}
    found = parse_schema("AVRO", json.dumps(using), {"t.Node": json.dumps(tree)}, normalize=True)
    assert json.loads(found.text) == {
        "name": "t.Top",
        "type": "record",
        "fields": [{"name": "n", "type": "t.Node"}],
    }


SAME_JSON: list[tuple[str, Any, Any]] = [
    ("keywords in another order", {"type": "object", "title": "T"}, {"title": "T", "type": "object"}),
    ("properties in another order", {"properties": {"b": {}, "a": {"type": "string", "minLength": 1}}},
     {"properties": {"a": {"minLength": 1, "type": "string"}, "b": {}}}),
    ("required in another order, and twice", {"required": ["b", "a", "b"]}, {"required": ["a", "b"]}),
    ("types in another order", {"type": ["string", "null"]}, {"type": ["null", "string"]}),
    ("one type as a list", {"type": ["string"]}, {"type": "string"}),
    ("whole numbers", {"minimum": 1.0, "enum": [2.0]}, {"minimum": 1, "enum": [2]}),
    ("inside definitions and lists",
     {"$defs": {"x": {"required": ["b", "a"]}},
      "anyOf": [{"type": ["null", "array"], "items": {"type": ["number"]}}]},
     {"anyOf": [{"items": {"type": "number"}, "type": ["array", "null"]}],
      "$defs": {"x": {"required": ["a", "b"]}}}),
    ("dependencies", {"dependencies": {"a": ["c", "b"], "d": {"required": ["f", "e"]}},
     "dependentRequired": {"x": ["z", "y"]}},
     {"dependentRequired": {"x": ["y", "z"]},
      "dependencies": {"d": {"required": ["e", "f"]}, "a": ["b", "c"]}}),
]  # fmt: skip
OTHER_JSON: list[tuple[str, Any, Any]] = [
    ("a title", {"title": "T"}, {}),
    ("the order of an enum's lists", {"enum": [["b", "a"]]}, {"enum": [["a", "b"]]}),
    ("a property that is called required", {"properties": {"required": {"enum": ["b", "a"]}}},
     {"properties": {"required": {"enum": ["a", "b"]}}}),
    ("a default that looks like a schema", {"default": {"required": ["b", "a"]}},
     {"default": {"required": ["a", "b"]}}),
    ("prefixes of a list", {"prefixItems": [{"type": "string"}, {}]},
     {"prefixItems": [{}, {"type": "string"}]}),
    ("a fraction", {"minimum": 1.5}, {"minimum": 1}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"), [each[1:] for each in SAME_JSON], ids=[each[0] for each in SAME_JSON]
)
def test_json_schemas_that_mean_the_same(one: Any, other: Any) -> None:
    assert json.dumps(canonical_json_schema(one)) == json.dumps(canonical_json_schema(other))


@pytest.mark.parametrize(
    ("one", "other"), [each[1:] for each in OTHER_JSON], ids=[each[0] for each in OTHER_JSON]
)
def test_json_schemas_that_do_not(one: Any, other: Any) -> None:
    assert json.dumps(canonical_json_schema(one)) != json.dumps(canonical_json_schema(other))
