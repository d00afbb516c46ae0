"""A new version of a subject against the jobs that read its stream."""

import json
from typing import Any

import pytest

from tests.support.order_schemas import DOCUMENTS, ID, NAME, OrderSchemas, order
from tests.support.run_factories import job_of, running
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Generation, Job, JobVersion, Run
from weir.schemas.services.contract_schemas import with_schemas
from weir.streams.models import Stream, StreamUse
from weir.streams.services.contracts import read_contract
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


def verdicts(place: OrderSchemas, schema: str) -> dict[str, tuple[str, list[str]]]:
    answer = place.post("compatibility/subjects/orders-value/versions?verbose=true", schema).json()
    return {each["job_name"]: (each["impact"], each["details"]) for each in answer["impacts"]}


def test_a_new_field_is_seen(place: OrderSchemas) -> None:
    schema = order(ID, NAME, {"name": "note", "type": ["null", "string"], "default": None})
    assert verdicts(place, schema) == {name: ("new_fields", ["note"]) for name in DOCUMENTS}
    assert place.post("subjects/orders-value/versions", schema).status_code == 200


def test_more_columns_than_a_stream_declares_are_no_obstacle(place: OrderSchemas) -> None:
    columns = [{"name": f"c{at}", "type": ["null", "string"], "default": None} for at in range(501)]
    found = verdicts(place, order(ID, NAME, *columns))
    assert {verdict for verdict, _ in found.values()} == {"new_fields"}


def test_a_type_that_no_contract_can_hold_breaks_only_where_it_is_read(place: OrderSchemas) -> None:
    members = [{"name": f"{'m' * 58}{at:03}", "type": "string"} for at in range(900)]
    wide = {"type": "record", "name": "Wide", "fields": members}
    found = verdicts(place, order(ID, NAME, {"name": "wide", "type": wide}))
    assert found == {name: ("unaffected", []) for name in DOCUMENTS}
    details = verdicts(place, order(ID, {"name": "name", "type": wide}))["by-name"][1]
    assert details[0].startswith("No contract can hold the new version: ")


def test_documentation_changes_nothing(place: OrderSchemas) -> None:
    assert verdicts(place, order(ID, {**NAME, "doc": "of the buyer"})) == {
        name: ("unaffected", []) for name in DOCUMENTS
    }


def test_another_default_resets_the_state_that_reads_it(
    place: OrderSchemas, workspace: Workspace, owner: User
) -> None:
    """Records of earlier versions lack the field: its default is their value."""
    document = {
        "format": 1,
        "name": "per-name",
        "sources": {"orders": {"stream": "orders"}},
        "steps": {"n": {"op": "aggregate", "input": "orders", "by": ["name"], "measures": {"n": "count()"}}},
        "outputs": {"live": {"input": "n", "to": "result"}},
    }
    running(job_of(workspace, owner, json.dumps(document)))
    found = verdicts(place, order(ID, {**NAME, "default": "nobody"}))
    assert found["per-name"] == ("resets_state", ["Stream orders changed how its records are read."])
    assert found["by-name"] == ("unaffected", [])
    more = {"name": "note", "type": "string", "default": "x"}
    assert verdicts(place, order(more, NAME, ID))["per-name"] == ("new_fields", ["note"])


def test_a_removed_field_breaks_running_jobs_with_names_and_places(place: OrderSchemas) -> None:
    schema = order(ID)
    assert {name: verdict for name, (verdict, _) in verdicts(place, schema).items()} == dict.fromkeys(
        DOCUMENTS, "breaks"
    )
    refused = place.post("subjects/orders-value/versions", schema)
    assert (refused.status_code, refused.json()["error_code"]) == (409, 409)
    assert "breaks 2 job(s): by-id (name: The writer schema lacks this field" in refused.json()["message"]
    assert place.post("subjects/orders-value/versions?force=true", schema).status_code == 200


def test_a_running_job_holds_on_to_the_schema_that_it_began_with(
    place: OrderSchemas, workspace: Workspace
) -> None:
    """The stream has a newer contract by now, which the next version fits; the job
    that runs does not know it.
    """
    note = {"name": "note", "type": ["null", "string"], "default": None}
    stream = Stream.objects.get(name="orders")
    began = stream.contract
    job = Job.objects.get(name="by-id")
    profile = {"cluster_id": "home", "bootstrap": "b:1"}
    bound = {
        "stream": "orders",
        "cluster": profile,
        "topic": "orders",
        "topic_id": "t",
        "partitions": 1,
        "contract": began,
    }
    generation = Generation.objects.create(
        job=job, number=1, fingerprint="f", started_from="now",
        sources={"orders": {**bound, "start": {"kind": "earliest"}}}, checkpoint="",
        shuffle_partitions=1, result_topic="r", retention_ms=1,
    )  # fmt: skip
    Run.objects.create(id=f"{job.pk}.1", generation=generation, version=1, mode="microbatch")
    Job.objects.filter(pk=job.pk).update(desired="running", generation=1)
    loose = order(ID, {**NAME, "default": ""}, note)
    assert place.post("subjects/orders-value/versions", loose).status_code == 200
    stream.contract = read_contract(with_schemas(workspace, began)).as_json()
    stream.save()
    found = verdicts(place, order(ID, note))
    assert found["by-id"][0] == "breaks"
    assert found["by-id"][1][0].startswith("running version: name: The writer schema lacks this field")
    sources = {"orders": {**generation.sources["orders"], "contract": {"of": "an older version"}}}
    Generation.objects.filter(pk=generation.pk).update(sources=sources)
    assert verdicts(place, order(ID, note))["by-id"][1][0].startswith("running version: It holds a contract")
    Job.objects.filter(pk=job.pk).update(desired="stopped")
    assert verdicts(place, order(ID, note))["by-id"] == ("new_fields", ["note"])


def test_a_narrower_type_that_the_documents_allow(place: OrderSchemas) -> None:
    """An int can be read where a long was; only what the documents do with the field may break."""
    found = verdicts(place, order({"name": "id", "type": "int"}, NAME))
    assert found == {name: ("unaffected", []) for name in DOCUMENTS}


def test_another_type_breaks(place: OrderSchemas) -> None:
    found = verdicts(place, order(ID, {"name": "name", "type": "long"}))
    assert found["by-name"] == ("breaks", ["name: long can't be read as string."])


def test_other_subjects_touch_nobody(place: OrderSchemas) -> None:
    assert place.post("subjects/others-value/versions", order(ID)).json()["version"] == 1
    answer = place.post("compatibility/subjects/others-value/versions?verbose=true", order(NAME)).json()
    assert answer["impacts"] == []


def test_change_events_in_avro(workspace: Workspace, owner: User) -> None:
    """The columns are those of the row inside the envelope; a count that is read as a
    time goes on being one.
    """
    found = OrderSchemas(workspace, owner)
    found.client.put(
        f"{found.base}config", data=json.dumps({"compatibility": "NONE"}), content_type="application/json"
    )

    def envelope(*columns: dict[str, Any]) -> str:
        row = {"type": "record", "name": "Value", "fields": list(columns)}
        fields = [{"name": "after", "type": ["null", row], "default": None}, {"name": "op", "type": "string"}]
        return json.dumps({"type": "record", "name": "Envelope", "fields": fields})

    at = {"name": "at", "type": "long"}
    assert found.post("subjects/orders-value/versions", envelope(ID, at)).status_code == 200
    inner = {"format": "avro", "subject": "orders-value", "framing": "confluent"}
    declared = [{"name": "id", "type": "long"}, {"name": "at", "type": "timestamp"}]
    contract = {"encoding": {"format": "debezium", "inner": inner}, "fields": declared}
    stream = Stream.objects.create(
        workspace=workspace, name="orders", cluster=home_cluster(), topic="orders", topic_id="t",
        partitions=1,
        contract=read_contract(with_schemas(workspace, contract)).as_json(),
    )  # fmt: skip
    document = {
        "format": 1, "name": "recent", "sources": {"orders": {"stream": "orders"}},
        "steps": {
            "recent": {"op": "filter", "input": "orders", "where": "at > timestamp '2026-01-01T00:00:00Z'"}
        },
        "outputs": {"live": {"input": "recent", "to": "result"}},
    }  # fmt: skip
    job = Job.objects.create(workspace=workspace, name="recent")
    JobVersion.objects.create(
        job=job, number=1, document_text="", document=document, fingerprint="f", mode="microbatch"
    )
    StreamUse.objects.create(stream=stream, job_id=job.id, job_name="recent")
    note = {"name": "note", "type": ["null", "string"], "default": None}
    assert verdicts(found, envelope(ID, at, note)) == {"recent": ("new_fields", ["note"])}
    assert verdicts(found, envelope(ID, at)) == {"recent": ("unaffected", [])}
    assert verdicts(found, envelope(ID))["recent"][0] == "breaks"
    assert verdicts(found, order(ID))["recent"][0] == "breaks"
