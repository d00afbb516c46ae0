"""A new version of a subject against the jobs that read its stream."""

import json
from typing import Any

import pytest

from tests.support.weir_people import client_of
from weir.clusters.services import home_cluster
from weir.runs.models import Job, JobVersion
from weir.schemas.resolving import with_schemas
from weir.streams.models import Stream, StreamUse
from weir.streams.services import read_contract
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

ID, NAME = {"name": "id", "type": "long"}, {"name": "name", "type": "string"}
DOCUMENTS = {
    "by-name": {"named": {"op": "filter", "input": "orders", "where": "name = 'a'"}},
    "by-id": {"chosen": {"op": "select", "input": "orders", "fields": ["id"]}},
}


def order(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": list(fields)})


class Place:
    def __init__(self, workspace: Workspace, owner: User) -> None:
        self.client, self.base = client_of(owner), f"/registry/{workspace.slug}/"

    def post(self, route: str, schema: str) -> Any:
        body = json.dumps({"schema": schema})
        return self.client.post(self.base + route, data=body, content_type="application/vnd.schemaregistry.v1+json")


@pytest.fixture
def place(workspace: Workspace, owner: User) -> Place:
    """A stream of a subject at level NONE, read by two jobs."""
    found = Place(workspace, owner)
    found.client.put(f"{found.base}config", data=json.dumps({"compatibility": "NONE"}), content_type="application/json")
    assert found.post("subjects/orders-value/versions", order(ID, NAME)).status_code == 200
    declared = [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}]
    contract = {"encoding": {"format": "avro", "subject": "orders-value", "framing": "confluent"}, "fields": declared}
    stream = Stream.objects.create(
        workspace=workspace,
        name="orders",
        cluster=home_cluster(),
        topic="orders",
        topic_id="t",
        partitions=1,
        contract=read_contract(with_schemas(workspace, contract)).as_json(),
    )
    for name, steps in DOCUMENTS.items():
        outputs = {"live": {"input": next(iter(steps)), "to": "result"}}
        document = {"format": 1, "name": name, "sources": {"orders": {"stream": "orders"}}, "steps": steps, "outputs": outputs}
        job = Job.objects.create(workspace=workspace, name=name)
        JobVersion.objects.create(
            job=job, number=1, document_text=json.dumps(document), document=document, fingerprint="f", mode="microbatch"
        )
        StreamUse.objects.create(stream=stream, job_id=job.id, job_name=name)
    return found


def verdicts(place: Place, schema: str) -> dict[str, tuple[str, list[str]]]:
    answer = place.post("compatibility/subjects/orders-value/versions?verbose=true", schema).json()
    return {effect["job_name"]: (effect["verdict"], effect["places"]) for effect in answer["effects"]}


def test_a_new_field_is_seen(place: Place) -> None:
    schema = order(ID, NAME, {"name": "note", "type": ["null", "string"], "default": None})
    assert verdicts(place, schema) == {name: ("new_fields", ["note"]) for name in DOCUMENTS}
    assert place.post("subjects/orders-value/versions", schema).status_code == 200


def test_documentation_changes_nothing(place: Place) -> None:
    assert verdicts(place, order(ID, {**NAME, "doc": "of the buyer"})) == {name: ("unaffected", []) for name in DOCUMENTS}


def test_a_removed_field_breaks_running_jobs_with_names_and_places(place: Place) -> None:
    schema = order(ID)
    assert {name: verdict for name, (verdict, _) in verdicts(place, schema).items()} == dict.fromkeys(DOCUMENTS, "breaks")
    refused = place.post("subjects/orders-value/versions", schema)
    assert (refused.status_code, refused.json()["error_code"]) == (409, 409)
    assert "breaks 2 job(s): by-id (name: The writer has no such field" in refused.json()["message"]
    assert place.post("subjects/orders-value/versions?force=true", schema).status_code == 200


def test_a_narrower_type_that_the_documents_allow(place: Place) -> None:
    """An int can be read where a long was; only what the documents do with the field may break."""
    found = verdicts(place, order({"name": "id", "type": "int"}, NAME))
    assert found == {name: ("unaffected", []) for name in DOCUMENTS}


def test_another_type_breaks(place: Place) -> None:
    found = verdicts(place, order(ID, {"name": "name", "type": "long"}))
    assert found["by-name"] == ("breaks", ["name: long cannot be read as string."])


def test_other_subjects_touch_nobody(place: Place) -> None:
    assert place.post("subjects/others-value/versions", order(ID)).json()["version"] == 1
    answer = place.post("compatibility/subjects/others-value/versions?verbose=true", order(NAME)).json()
    assert answer["effects"] == []
