"""Schemas of what jobs write in Avro are registered when they start, and told to their engine."""

import json
from typing import Any

import pytest

from jobs.kafka_messages import AvroTarget
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Job, JobVersion
from weir.runs.services.output_schemas import register_written
from weir.runs.services.planning import plan_in
from weir.runs.services.stream_uses import record_uses
from weir.schemas.errors import RegistryError
from weir.schemas.services import registration
from weir.schemas.services.contract_schemas import with_schemas
from weir.schemas.services.drafts import SchemaDraft
from weir.schemas.services.policy import set_level
from weir.schemas.services.queries import get_version
from weir.schemas.services.registration import register
from weir.streams.models import Stream, StreamUse
from weir.streams.services.contracts import read_contract
from weir.workspaces.errors import ConflictError, UnreachableError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

CONTRACT = {"fields": [{"name": "k", "type": "string"}, {"name": "n", "type": "long"}]}
NARROW = {"fields": [{"name": "k", "type": "string"}, {"name": "n", "type": "int"}]}
READER = {
    "format": 1,
    "name": "reader",
    "sources": {"s": {"stream": "sums"}},
    "steps": {"kept": {"op": "select", "input": "s", "fields": ["k", "n"]}},
    "outputs": {"live": {"input": "kept", "to": "result"}},
}


def document(form: str = "avro", fields: tuple[str, ...] = ("k", "n"), topic: str = "sums") -> dict[str, Any]:
    outputs = {
        "live": {"input": "kept", "to": "result"},
        "out": {"input": "kept", "to": {"topic": topic, "format": form}},
    }
    steps = {"kept": {"op": "select", "input": "s", "fields": list(fields)}}
    return {
        "format": 1,
        "name": "sums",
        "sources": {"s": {"stream": "facts"}},
        "steps": steps,
        "outputs": outputs,
    }


@pytest.fixture
def place(workspace: Workspace) -> Workspace:
    for name in ("facts", "sums"):
        Stream.objects.create(
            workspace=workspace,
            name=name,
            cluster=home_cluster(),
            topic=f"shop.{name}",
            topic_id="t",
            partitions=1,
            contract=CONTRACT,
        )
    return workspace


def written(workspace: Workspace, text: dict[str, Any]) -> dict[str, AvroTarget]:
    plan = plan_in(workspace, text)
    assert plan.ok, plan.problems
    return register_written(workspace, plan, "ann")


@pytest.mark.parametrize("topic", ["sums", "shop.sums"])
def test_a_start_registers_what_is_written(place: Workspace, topic: str) -> None:
    made = written(place, document(topic=topic))
    found = get_version(place, "shop.sums-value", "latest")
    assert [field["name"] for field in json.loads(found.schema.text)["fields"]] == ["k", "n"]
    assert {output: target.schema_id for output, target in made.items()} == {"out": found.schema.schema_id}
    assert json.loads(made["out"].text) == json.loads(found.schema.text)
    assert written(place, document(topic=topic)) == made
    assert get_version(place, "shop.sums-value", "latest").version == 1


def test_json_outputs_register_nothing(place: Workspace) -> None:
    assert written(place, document("json")) == {}
    with pytest.raises(RegistryError):
        get_version(place, "shop.sums-value", "latest")


def test_fewer_fields_can_follow_more(place: Workspace) -> None:
    """Every field has a default, so that either version reads the other's records."""
    set_level(place, "shop.sums-value", "FULL_TRANSITIVE", "ann")
    numbers = [
        written(place, document(fields=fields))["out"].schema_id
        for fields in (("k", "n"), ("k",), ("n", "k"))
    ]
    assert len(set(numbers)) == 3
    assert get_version(place, "shop.sums-value", "latest").version == 3


def test_a_schema_that_does_not_fit_stops_the_start(place: Workspace) -> None:
    other = {
        "type": "record",
        "name": "Row",
        "namespace": "shop_sums",
        "fields": [{"name": "k", "type": "int"}],
    }
    register(place, "shop.sums-value", SchemaDraft("AVRO", json.dumps(other), []), "ann")
    with pytest.raises(ConflictError) as refused:
        written(place, document())
    assert refused.value.code == "SCHEMA_CONFLICT"
    assert "shop.sums-value" in str(refused.value)
    assert get_version(place, "shop.sums-value", "latest").version == 1


def saved(workspace: Workspace, text: dict[str, Any]) -> None:
    """A job of this document, with its uses."""
    job = Job.objects.create(workspace=workspace, name=text["name"])
    JobVersion.objects.create(
        job=job, number=1, document_text="", document=text, fingerprint="f", mode="microbatch"
    )
    record_uses(job)


def widened(place: Workspace) -> None:
    """The topic's stream is read by the version whose n is int; from now on the job writes it as long."""
    Stream.objects.filter(name="facts").update(contract=NARROW)
    written(place, document())
    encoding = {"format": "avro", "subject": "shop.sums-value", "framing": "confluent"}
    contract = read_contract(with_schemas(place, {**NARROW, "encoding": encoding}))
    Stream.objects.filter(name="sums").update(contract=contract.as_json())
    Stream.objects.filter(name="facts").update(contract=CONTRACT)


def test_a_job_that_only_writes_the_topic_does_not_stop_its_own_start(place: Workspace) -> None:
    saved(place, document())
    assert set(StreamUse.objects.values_list("stream__name", flat=True)) == {"facts", "sums"}
    widened(place)
    written(place, document())
    assert get_version(place, "shop.sums-value", "latest").version == 2


def test_a_job_that_reads_the_topic_stops_a_start_that_would_break_it(place: Workspace) -> None:
    saved(place, document())
    saved(place, READER)
    widened(place)
    with pytest.raises(ConflictError) as refused:
        written(place, document())
    assert "breaks 1 job(s): reader (n: " in str(refused.value)
    assert get_version(place, "shop.sums-value", "latest").version == 1


def test_a_registry_that_nobody_hears_stops_the_start(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(schema: Any) -> None:
        raise RegistryError(50002, "The broker does not answer.")

    monkeypatch.setattr(registration, "publish_schema", silent)
    with pytest.raises(UnreachableError):
        written(place, document())
