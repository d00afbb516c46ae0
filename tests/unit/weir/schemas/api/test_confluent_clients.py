"""Confluent's own Python serializers and deserializers, unchanged, against our registry over HTTP."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    Metadata,
    MetadataProperties,
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    ServerConfig,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext, SerializationError
from pytest_django.live_server_helper import LiveServer

from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from tests.support.users import create_user, workspace_of
from weir.workspaces.models import ApiToken

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "results"])

V1 = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}],
}
V2 = {**V1, "fields": [*V1["fields"], {"name": "note", "type": ["null", "string"], "default": None}]}
V3 = {**V1, "fields": [*V1["fields"], {"name": "must", "type": "int"}]}
JSON_V1 = {
    "title": "Order",
    "type": "object",
    "properties": {"id": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}
JSON_V2 = {**JSON_V1, "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}}
VALUE = SerializationContext("orders", MessageField.VALUE)


@dataclass
class Place:
    url: str
    token: str
    open_clients: ExitStack

    def client(self, **auth: Any) -> SchemaRegistryClient:
        settings = {"url": self.url, **(auth or {"basic.auth.user.info": f"token:{self.token}"})}
        return self.open_clients.enter_context(SchemaRegistryClient(settings))


@pytest.fixture
def place(live_server: LiveServer) -> Iterator[Place]:
    owner = create_user("ann")
    workspace = workspace_of(owner)
    _, token = ApiToken.objects.create(user=owner)
    with ExitStack() as open_clients:
        yield Place(f"{live_server.url}/registry/{workspace.slug}", token, open_clients)


def test_avro_there_and_back_over_two_versions(place: Place) -> None:
    client = place.client()
    first = AvroSerializer(client, json.dumps(V1))({"id": 1, "name": "a"}, VALUE)
    second = AvroSerializer(client, json.dumps(V2))({"id": 2, "name": "b", "note": "n"}, VALUE)
    read = AvroDeserializer(client)
    assert read(first, VALUE) == {"id": 1, "name": "a"}
    assert AvroDeserializer(client, json.dumps(V2))(first, VALUE) == {"id": 1, "name": "a", "note": None}
    assert client.get_versions("orders-value") == [1, 2]
    with pytest.raises(SchemaRegistryError) as refused:
        AvroSerializer(client, json.dumps(V3))({"id": 3, "name": "c", "must": 1}, VALUE)
    assert (refused.value.http_status_code, refused.value.error_code) == (409, 409)

    writers = {
        str(client.get_version("orders-value", n).schema_id): client.get_version(
            "orders-value", n
        ).schema.schema_str
        for n in (1, 2)
    }
    contract = StreamContract.model_validate(
        {
            "encoding": {
                "format": "avro",
                "schema": json.dumps(V2),
                "framing": "confluent",
                "writers": writers,
            },
            "fields": [{"name": "id", "type": "long"}, {"name": "note", "type": "string"}],
        }
    )
    rows = [decode(record, None, contract, 1_000_000) for record in (first, second)]
    assert [row.values for row in rows if isinstance(row, Row)] == [
        {"id": 1, "note": None},
        {"id": 2, "note": "n"},
    ]


def test_json_schema_there_and_back(place: Place) -> None:
    client = place.client(
        **{
            "bearer.auth.credentials.source": "STATIC_TOKEN",
            "bearer.auth.token": place.token,
            "bearer.auth.logical.cluster": "lsrc-1",
            "bearer.auth.identity.pool.id": "pool-1",
        }
    )
    record = JSONSerializer(json.dumps(JSON_V1), client)({"id": 1}, VALUE)
    assert JSONDeserializer(None, schema_registry_client=client)(record, VALUE) == {"id": 1}
    newer = JSONSerializer(json.dumps(JSON_V2), client)({"id": 2, "note": "n"}, VALUE)
    assert JSONDeserializer(json.dumps(JSON_V2), schema_registry_client=client)(newer, VALUE) == {
        "id": 2,
        "note": "n",
    }
    contract = StreamContract.model_validate(
        {
            "encoding": {"format": "json", "framing": "confluent"},
            "fields": [{"name": "id", "type": "long"}, {"name": "note", "type": "string"}],
        }
    )
    found = decode(newer, None, contract, 1_000_000)
    assert isinstance(found, Row)
    assert found.values == {"id": 2, "note": "n"}


def test_references_and_policy(place: Place) -> None:
    client = place.client()
    client.register_schema(
        "money",
        Schema(
            json.dumps({"type": "record", "name": "Money", "fields": [{"name": "c", "type": "long"}]}), "AVRO"
        ),
    )
    order = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "total", "type": "Money"}]})
    schema = Schema(order, "AVRO", [SchemaReference("Money", "money", 1)])
    number = client.register_schema("orders-value", schema)
    assert client.get_schema(number).references[0].subject == "money"
    assert client.lookup_schema("orders-value", schema).version == 1
    written = AvroSerializer(client, schema)({"total": {"c": 5}}, VALUE)
    assert AvroDeserializer(client)(written, VALUE) == {"total": {"c": 5}}
    client.set_compatibility("orders-value", "FULL")
    assert client.get_compatibility("orders-value") == "FULL"
    assert client.test_compatibility("orders-value", schema)
    assert client.get_subjects() == ["money", "orders-value"]
    assert client.delete_subject("orders-value") == [1]
    assert client.delete_subject("orders-value", permanent=True) == [1]


def test_who_has_no_token(place: Place) -> None:
    for auth in ({"basic.auth.user.info": "token:weir_wrong"}, {"max.retries": 0}):
        with pytest.raises(SchemaRegistryError) as refused:
            place.client(**auth).get_subjects()
        assert refused.value.http_status_code == 401


def test_keys_have_subjects_of_their_own(place: Place) -> None:
    client, key = place.client(), SerializationContext("orders", MessageField.KEY)
    name = json.dumps({"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]})
    of_avro = AvroSerializer(client, name)({"id": 7}, key)
    assert AvroDeserializer(client)(of_avro, key) == {"id": 7}
    plain = AvroSerializer(client, '"string"')("k", SerializationContext("texts", MessageField.KEY))
    assert AvroDeserializer(client)(plain, SerializationContext("texts", MessageField.KEY)) == "k"
    of_json = JSONSerializer(json.dumps(JSON_V1), client)(
        {"id": 7}, SerializationContext("carts", MessageField.KEY)
    )
    assert JSONDeserializer(None, schema_registry_client=client)(of_json, key) == {"id": 7}
    assert client.get_subjects() == ["carts-key", "orders-key", "texts-key"]
    contract = StreamContract.model_validate(
        {
            "kind": "table", "key": ["id"],
            "fields": [{"name": "id", "type": "long"}, {"name": "v", "type": "string"}],
            "key_encoding": {"format": "avro", "schema": name, "framing": "confluent",
                             "writers": {str(client.get_latest_version("orders-key").schema_id): name}},
        }
    )  # fmt: skip
    found = decode(b'{"v":"x"}', of_avro, contract, 1_000_000)
    assert isinstance(found, Row)
    assert found.values == {"id": 7, "v": "x"}


def test_json_schemas_with_references(place: Place) -> None:
    client = place.client()
    money = {"type": "object", "properties": {"cents": {"type": "integer"}}, "required": ["cents"]}
    client.register_schema("money", Schema(json.dumps(money), "JSON"))
    order = {"title": "Order", "type": "object", "properties": {"total": {"$ref": "money.json"}}}
    schema = Schema(json.dumps(order), "JSON", [SchemaReference("money.json", "money", 1)])
    written = JSONSerializer(schema, client)({"total": {"cents": 5}}, VALUE)
    assert JSONDeserializer(None, schema_registry_client=client)(written, VALUE) == {"total": {"cents": 5}}
    with pytest.raises(SerializationError, match="integer"):
        JSONSerializer(schema, client)({"total": {"cents": "five"}}, VALUE)
    assert client.get_referenced_by("money", 1) == [client.get_latest_version("orders-value").schema_id]
    with pytest.raises(SchemaRegistryError) as refused:
        client.register_schema("carts-value", Schema(json.dumps(order), "JSON"))
    assert (refused.value.http_status_code, refused.value.error_code) == (422, 42201)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (
            "AVRO",
            {**V1, "namespace": "shop"},
            {
                "fields": [{"type": {"type": "long"}, "name": "id"}, V1["fields"][1]],
                "name": "shop.Order",
                "type": "record",
            },
        ),
        ("JSON", JSON_V1, {**dict(reversed(JSON_V1.items())), "type": ["object"]}),
    ],
)
def test_normalised_schemas_are_one(place: Place, kind: str, one: Any, other: Any) -> None:
    client = place.client()
    first, second = Schema(json.dumps(one), kind), Schema(json.dumps(other), kind)
    number = client.register_schema("a-value", first, normalize_schemas=True)
    assert client.register_schema("a-value", second, normalize_schemas=True) == number
    assert client.lookup_schema("a-value", second, normalize_schemas=True).version == 1
    client.register_schema("b-value", first)  # kept as it was written, and found all the same
    assert client.register_schema_full_response("b-value", second, normalize_schemas=True).version == 1
    with pytest.raises(SchemaRegistryError) as unknown:
        client.lookup_schema("b-value", second)
    assert unknown.value.error_code == 40403
    if kind == "AVRO":
        context = SerializationContext("a", MessageField.VALUE)
        settings = {"auto.register.schemas": False, "normalize.schemas": True}
        written = AvroSerializer(place.client(), json.dumps(other), conf=settings)(
            {"id": 1, "name": "n"}, context
        )
        assert AvroDeserializer(client)(written, context) == {"id": 1, "name": "n"}


def test_levels_and_modes_as_newer_clients_set_them(place: Place) -> None:
    client = place.client()
    client.set_config("a", ServerConfig(compatibility_level=ConfigCompatibilityLevel.FULL))
    client.set_config("b", ServerConfig(compatibility=ConfigCompatibilityLevel.NONE))
    client.set_config(None, ServerConfig(compatibility_level=ConfigCompatibilityLevel.FORWARD))
    assert [client.get_compatibility(name) for name in ("a", "b", None)] == ["FULL", "NONE", "FORWARD"]
    assert client.get_config("a").compatibility_level == ConfigCompatibilityLevel.FULL
    assert client.delete_config("a").compatibility_level == ConfigCompatibilityLevel.FULL
    with pytest.raises(SchemaRegistryError) as refused:
        client.set_config(
            "a", ServerConfig(compatibility_level=ConfigCompatibilityLevel.FULL, compatibility_group="major")
        )
    assert (refused.value.http_status_code, "compatibilityGroup" in str(refused.value)) == (422, True)
    assert client.update_mode("a", "READONLY") == "READONLY"
    assert client.delete_mode("a") == "READONLY"
    assert client.update_global_mode("READONLY") == "READONLY"
    answer = client._rest_client.delete("mode")
    assert (answer["mode"], client.get_global_mode()) == ("READONLY", "READWRITE")
    assert client.get_contexts() == ["."]


def test_metadata_and_the_newest_that_has_it(place: Place) -> None:
    client = place.client()

    def of(major: str) -> Metadata:
        return Metadata(
            tags=None, properties=MetadataProperties({"major": major, "owner": "shop"}), sensitive=None
        )

    schemas = [
        Schema(json.dumps(V1), "AVRO", metadata=of("1")),
        Schema(json.dumps(V1), "AVRO", metadata=of("2")),
        Schema(json.dumps(V2), "AVRO"),
    ]
    numbers = [client.register_schema("orders-value", schema) for schema in schemas]
    assert len(set(numbers)) == 3
    assert client.get_latest_with_metadata("orders-value", {"major": "1"}).version == 1
    found = client.get_latest_with_metadata("orders-value", {"owner": "shop"})
    assert found.schema.metadata is not None
    assert (found.version, found.schema.metadata.properties) == (2, of("2").properties)
    with pytest.raises(SchemaRegistryError) as unknown:
        client.get_latest_with_metadata("orders-value", {"major": "3"})
    assert unknown.value.error_code == 40403
    settings = {"auto.register.schemas": False, "use.latest.with.metadata": {"major": "1"}}
    written = AvroSerializer(place.client(), json.dumps(V1), conf=settings)({"id": 1, "name": "n"}, VALUE)
    assert int.from_bytes(written[1:5], "big") == numbers[0]
    rule = Rule(
        "encrypt",
        None,
        RuleKind.TRANSFORM,
        RuleMode.WRITEREAD,
        "ENCRYPT",
        ["PII"],
        None,
        None,
        None,
        None,
        None,
    )
    with pytest.raises(SchemaRegistryError) as refused:
        client.register_schema("orders-value", Schema(json.dumps(V2), "AVRO", rule_set=RuleSet(None, [rule])))
    assert (refused.value.error_code, "rules" in str(refused.value)) == (42201, True)


def test_a_schema_with_its_references_in_it(place: Place) -> None:
    client = place.client()
    client.register_schema(
        "money",
        Schema(
            json.dumps({"type": "record", "name": "Money", "fields": [{"name": "c", "type": "long"}]}), "AVRO"
        ),
    )
    order = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "total", "type": "Money"}]})
    number = client.register_schema(
        "orders-value", Schema(order, "AVRO", [SchemaReference("Money", "money", 1)])
    )
    other = place.client()
    for found in (
        other.get_schema(number, fmt="resolved", reference_format="resolved"),
        other.get_version("orders-value", 1, fmt="resolved").schema,
        other.get_latest_version("orders-value", fmt="resolved").schema,
    ):
        assert found.schema_str is not None
        assert json.loads(found.schema_str)["fields"][0]["type"]["name"] == "Money"
        assert not found.references
    assert place.client().get_schema(number, fmt="serialized").references
