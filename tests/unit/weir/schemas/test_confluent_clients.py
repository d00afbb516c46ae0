"""Confluent's own Python serializers and deserializers, unchanged, against our registry over HTTP."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from pytest_django.live_server_helper import LiveServer

from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from tests.support.weir_people import person, workspace_of
from weir.workspaces.models import ApiToken

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "results"])

V1 = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}]}
V2 = {**V1, "fields": [*V1["fields"], {"name": "note", "type": ["null", "string"], "default": None}]}
V3 = {**V1, "fields": [*V1["fields"], {"name": "must", "type": "int"}]}
JSON_V1 = {"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": False}
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
    owner = person("ann")
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
        str(client.get_version("orders-value", n).schema_id): client.get_version("orders-value", n).schema.schema_str for n in (1, 2)
    }
    contract = StreamContract.model_validate(
        {
            "encoding": {"format": "avro", "schema": json.dumps(V2), "framing": "confluent", "writers": writers},
            "fields": [{"name": "id", "type": "long"}, {"name": "note", "type": "string"}],
        }
    )
    rows = [decode(record, None, contract, 1_000_000) for record in (first, second)]
    assert [row.values for row in rows if isinstance(row, Row)] == [{"id": 1, "note": None}, {"id": 2, "note": "n"}]


def test_json_schema_there_and_back(place: Place) -> None:
    client = place.client(**{"bearer.auth.credentials.source": "STATIC_TOKEN", "bearer.auth.token": place.token,
                             "bearer.auth.logical.cluster": "lsrc-1", "bearer.auth.identity.pool.id": "pool-1"})  # fmt: skip
    record = JSONSerializer(json.dumps(JSON_V1), client)({"id": 1}, VALUE)
    assert JSONDeserializer(None, schema_registry_client=client)(record, VALUE) == {"id": 1}
    newer = JSONSerializer(json.dumps(JSON_V2), client)({"id": 2, "note": "n"}, VALUE)
    assert JSONDeserializer(json.dumps(JSON_V2), schema_registry_client=client)(newer, VALUE) == {"id": 2, "note": "n"}
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
        "money", Schema(json.dumps({"type": "record", "name": "Money", "fields": [{"name": "c", "type": "long"}]}), "AVRO")
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
