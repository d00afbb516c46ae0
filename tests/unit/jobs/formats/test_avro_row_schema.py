"""Schemas of what jobs write can be read again as what was written."""

import io
import json

import fastavro
import pytest

from jobs.base.schemas import schema_from_json
from jobs.base.types import type_text
from jobs.formats.avro_row_schema import row_schema, value_subject
from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_types import fields_of

TYPES = (
    "boolean", "int", "long", "double", "string", "bytes", "timestamp", "date", "decimal(10,2)",
    "array<long>",
    "map<string,decimal(4,1)>", "struct<a:int,b:struct<a:string>>", "array<struct<a:int,b:array<date>>>",
)  # fmt: skip


def test_every_type_comes_back() -> None:
    rows = schema_from_json(
        [{"name": f"f{place}", "type": kind, "nullable": place % 2 == 0} for place, kind in enumerate(TYPES)]
    )
    read = fields_of(parse_avro(row_schema(rows, "shop.orders-v2")))
    assert [(field.name, type_text(field.type), field.nullable) for field in read] == [
        (f"f{n}", kind, True) for n, kind in enumerate(TYPES)
    ]


def test_the_topic_is_the_namespace() -> None:
    rows = schema_from_json([{"name": "a", "type": "int"}])
    assert json.loads(row_schema(rows, "shop.orders-v2"))["namespace"] == "shop_orders_v2"
    assert json.loads(row_schema(rows, "2013.flights"))["namespace"] == "_2013_flights"
    assert value_subject("shop.orders") == "shop.orders-value"


@pytest.mark.parametrize(
    "fields",
    [
        {"a_b": "struct<c:int>", "a": "struct<b:struct<c:string>>"},
        {"string": "struct<int:struct<record:long>>", "null": "array<struct<null:int>>"},
        {"a": "array<struct<b:map<string,struct<c:int>>>>", "b": "map<string,array<array<struct<c:date>>>>"},
        {
            "item": "array<struct<item:struct<item:int>>>",
            "value": "map<string,struct<value:struct<value:int>>>",
        },
    ],
)
def test_records_inside_have_names_of_their_own(fields: dict[str, str]) -> None:
    """Fields may be called as Avro's types are, and paths may look alike."""
    rows = schema_from_json([{"name": name, "type": kind} for name, kind in fields.items()])
    text = row_schema(rows, "int")
    assert {field.name: type_text(field.type) for field in fields_of(parse_avro(text))} == fields
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(text)), {})
    assert out.getvalue() == bytes(len(fields))


def test_fields_under_other_names_and_inside_objects() -> None:
    rows = schema_from_json([{"name": name, "type": "long"} for name in ("a", "b", "c")])
    written = json.loads(row_schema(rows, "t", {"a": ("user", "id"), "c": ("user", "at", "c")}))
    assert [field["name"] for field in written["fields"]] == ["user", "b"]
    read = {field.name: type_text(field.type) for field in fields_of(parse_avro(json.dumps(written)))}
    assert read == {"user": "struct<id:long,at:struct<c:long>>", "b": "long"}
    assert all(field["type"][0] == "null" and field["default"] is None for field in written["fields"])
