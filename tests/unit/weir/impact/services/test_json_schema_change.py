"""A new version of a JSON Schema subject against the jobs whose stream is held to it, and
records written to that stream.
"""

import json
from typing import Any

import pytest

from tests.support.users import client_of
from weir.clusters.services.clusters import home_cluster
from weir.clusters.services.confirmations import Confirmations
from weir.runs.services.versions import create_job
from weir.schemas.services.contract_schemas import with_schemas
from weir.streams.models import Stream
from weir.streams.services import producer
from weir.streams.services.contracts import read_contract
from weir.streams.services.record_input import record_encoder
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
API = "/api/v1/workspaces/ops/"
ID, NAME, NOTE = (
    {"id": {"type": "integer", "minimum": 1}},
    {"name": {"type": "string"}},
    {"note": {"type": "string"}},
)
STEPS = {
    "by-name": {"named": {"op": "filter", "input": "orders", "where": "name = 'a'"}},
    "by-id": {"chosen": {"op": "select", "input": "orders", "fields": ["id"]}},
}


def order(*properties: dict[str, Any], **more: Any) -> str:
    named = {name: part for each in properties for name, part in each.items()}
    return json.dumps({"type": "object", "properties": named, "required": ["id"], **more})


class Orders:
    """The subject, its stream and a job that reads each field."""

    def __init__(self, workspace: Workspace, owner: User, framing: str = "confluent", **more: Any) -> None:
        self.client = client_of(owner)
        self.post("/registry/ops/config", {"compatibility": "NONE"}, "put")
        assert self.register(order(ID, NAME, **more)).status_code == 200
        fields = [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}]
        contract = {
            "encoding": {"format": "json", "subject": "orders-value", "framing": framing},
            "fields": fields,
        }
        self.stream = Stream.objects.create(
            workspace=workspace, name="orders", cluster=home_cluster(), topic="orders", topic_id="t",
            partitions=1,
            contract=read_contract(with_schemas(workspace, contract)).as_json(),
        )  # fmt: skip
        for name, steps in STEPS.items():
            outputs = {"live": {"input": next(iter(steps)), "to": "result"}}
            document = {
                "format": 1,
                "name": name,
                "sources": {"orders": {"stream": "orders"}},
                "steps": steps,
                "outputs": outputs,
            }
            create_job(workspace, owner, json.dumps(document))

    def post(self, route: str, body: Any, method: str = "post") -> Any:
        return getattr(self.client, method)(route, data=json.dumps(body), content_type="application/json")

    def register(self, schema: str, query: str = "") -> Any:
        return self.post(
            f"/registry/ops/subjects/orders-value/versions{query}", {"schema": schema, "schemaType": "JSON"}
        )

    def impacts(self, schema: str) -> dict[str, tuple[str, list[str]]]:
        answer = self.post(f"{API}schemas/orders-value/check", {"schema": schema, "schema_type": "JSON"})
        assert answer.status_code == 200, answer.content
        return {each["job_name"]: (each["impact"], each["details"]) for each in answer.json()["impacts"]}


@pytest.fixture
def orders(workspace: Workspace, owner: User) -> Orders:
    return Orders(workspace, owner)


def test_what_a_version_does_to_each_job(orders: Orders) -> None:
    assert orders.impacts(order(ID, NAME, title="An order")) == {name: ("unaffected", []) for name in STEPS}
    narrower = order({"id": {"type": "integer", "minimum": 5}}, NAME)
    assert {verdict for verdict, _ in orders.impacts(narrower).values()} == {"unaffected"}
    wider = orders.impacts(order({"id": {"type": "integer"}}, NAME))
    assert wider["by-id"] == ("breaks", ["id: The reader's minimum is 1, the writer's is not set."])
    other = orders.impacts(order(ID, {"name": {"type": "integer"}}))
    assert other["by-name"][0] == "breaks"
    assert orders.impacts(order(ID, {"name": {"type": ["string", "null"]}}))["by-name"][0] == "breaks"


def test_a_new_field_is_seen(orders: Orders, workspace: Workspace, owner: User) -> None:
    assert orders.impacts(order(ID, NAME, NOTE)) == {name: ("new_fields", ["note"]) for name in STEPS}


def test_a_property_that_no_stream_can_declare_is_no_obstacle(orders: Orders) -> None:
    found = orders.impacts(order(ID, NAME, {"x" * 256: {"type": "string"}}))
    assert found == {name: ("unaffected", []) for name in STEPS}


def test_a_field_that_a_document_reads_is_gone(orders: Orders) -> None:
    """The job that runs by the earlier version reads on; its next start would not."""
    closed = order(ID, additionalProperties=False)
    found = orders.impacts(closed)
    assert found["by-id"] == ("unaffected", [])
    assert found["by-name"][0] == "breaks"
    assert found["by-name"][1][0].startswith("steps.named")
    refused = orders.register(closed)
    assert (refused.status_code, "by-name" in refused.json()["message"]) == (409, True)
    assert orders.register(closed, "?force=true").status_code == 200


def test_a_closed_model_refuses_what_the_next_version_adds(workspace: Workspace, owner: User) -> None:
    found = Orders(workspace, owner, additionalProperties=False).impacts(
        order(ID, NAME, NOTE, additionalProperties=False)
    )
    assert {verdict for verdict, _ in found.values()} == {"breaks"}


def test_another_kind_breaks(orders: Orders) -> None:
    avro = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}
    answer = orders.post(f"{API}schemas/orders-value/check", {"schema": json.dumps(avro)}).json()
    assert {each["impact"] for each in answer["impacts"]} == {"breaks"}


def test_the_subject_knows_its_streams_and_fields(orders: Orders) -> None:
    (row,) = orders.client.get(f"{API}schemas").json()["results"]
    assert row["streams"] == ["orders"]
    (version,) = orders.client.get(f"{API}schemas/orders-value").json()["versions"]
    fields = [(field["name"], field["type"], field["nullable"]) for field in version["fields"]]
    assert fields == [("id", "long", False), ("name", "string", True)]
    asked = {"encoding": {"format": "json", "subject": "orders-value"}}
    assert [field["name"] for field in orders.post(f"{API}encodings/fields", asked).json()["fields"]] == [
        "id",
        "name",
    ]


@pytest.mark.parametrize("framing", ["none", "confluent"])
def test_records_are_validated_before_they_are_written(
    workspace: Workspace, owner: User, framing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders, sent = Orders(workspace, owner, framing), []

    def send(_: Any, __: str, records: list[producer.NewRecord]) -> Confirmations:
        sent.extend(records)
        found = Confirmations(len(records))
        found.coordinates = [(0, n) for n in range(len(records))]
        return found

    monkeypatch.setattr(producer, "send", send)
    route = f"{API}streams/orders/records"
    refused = orders.post(
        route,
        {"records": [{"value": {"id": 1}}, {"value": {"id": 0, "name": "x"}}, {"value": {"name": "x"}}]},
    )
    assert (refused.status_code, refused.json()["code"], sent) == (422, "RECORD_MALFORMED", [])
    told = {tuple(problem["path"]): problem["message"] for problem in refused.json()["problems"]}
    assert "SCHEMA_MISMATCH" in told["records", "1", "value"]
    assert "id: 0 is less than the minimum of 1" in told["records", "1", "value"]
    assert '"id" is a required property' in told["records", "2", "value"]
    written = orders.post(route, {"records": [{"value": {"id": 1, "name": "x"}}]})
    assert written.status_code == 201, written.content
    number = orders.client.get("/registry/ops/subjects/orders-value/versions/latest").json()["id"]
    frame = b"" if framing == "none" else b"\x00" + number.to_bytes(4, "big")
    assert [record.value for record in sent] == [frame + b'{"id":1,"name":"x"}']


def test_subjects_that_no_stream_can_use(orders: Orders, workspace: Workspace) -> None:
    contract = {
        "encoding": {"format": "json", "subject": "other-value"},
        "fields": [{"name": "id", "type": "long"}],
    }
    with pytest.raises(ServiceError) as unknown:
        with_schemas(workspace, contract)
    assert unknown.value.code == "SUBJECT_UNKNOWN"
    references = [{"name": "o.json", "subject": "orders-value", "version": 1}]
    using = {"schema": '{"$ref":"o.json"}', "schemaType": "JSON", "references": references}
    assert orders.post("/registry/ops/subjects/other-value/versions", using).status_code == 200
    with pytest.raises(ServiceError, match="self-contained"):
        with_schemas(workspace, contract)
    with pytest.raises(ServiceError, match="needs Avro"):
        with_schemas(workspace, {"encoding": {"format": "avro", "subject": "orders-value"}})


def test_without_a_frame_objects_are_written_as_they_are(workspace: Workspace, owner: User) -> None:
    assert not record_encoder(Orders(workspace, owner, "none").stream).is_structured
