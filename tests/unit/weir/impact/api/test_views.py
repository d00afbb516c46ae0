"""The registry for people: what a version or a contract does to jobs is told before, and
what breaks must be forced.
"""

import json
from typing import Any

import pytest

from tests.support.order_schemas import DOCUMENTS, ID, NAME, OrderSchemas, order
from tests.support.users import client_of
from weir.runs.models import Generation, Job, Run
from weir.runs.services.versions import add_version
from weir.schemas.services.impact_hooks import Impact, JobImpact
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

NOTE = {"name": "note", "type": ["null", "string"], "default": None}


class Api:
    def __init__(self, owner: User, workspace: Workspace) -> None:
        self.client, self.base = client_of(owner), f"/api/v1/workspaces/{workspace.slug}/"

    def __call__(self, method: str, route: str, body: Any = None) -> tuple[int, Any]:
        data = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = getattr(self.client, method)(self.base + route, **data)
        return answer.status_code, answer.json()


@pytest.fixture
def api(owner: User, workspace: Workspace) -> Api:
    return Api(owner, workspace)


def test_fields_are_looked_for_as_long_as_there_is_time(
    api: Api, place: OrderSchemas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thousand versions, each may refer to megabytes."""
    monkeypatch.setattr("weir.impact.services.subjects.FIELDS_CPU_S", -1.0)
    version = api("get", "schemas/orders-value")[1]["versions"][0]
    assert json.loads(version["schema"])["fields"] == [ID, NAME]
    assert version["fields"] == []


def test_subjects_with_their_streams(api: Api, place: OrderSchemas) -> None:
    status, found = api("get", "schemas")
    assert status == 200
    (row,) = found["results"]
    assert {key: row[key] for key in ("name", "level", "versions", "newest", "streams")} == {
        "name": "orders-value", "level": "NONE", "versions": 1, "newest": 1, "streams": ["orders"],
    }  # fmt: skip
    version = api("get", "schemas/orders-value")[1]["versions"][0]
    assert json.loads(version["schema"])["fields"] == [ID, NAME]
    assert [field["name"] for field in version["fields"]] == ["id", "name"]
    assert version["row_fields"] == []
    assert api("get", "schemas/none")[0] == 404


def test_a_version_that_breaks_jobs_must_be_forced(api: Api, place: OrderSchemas) -> None:
    status, found = api("post", "schemas/orders-value/check", {"schema": order(ID)})
    assert (status, found["conflicts"], found["level"]) == (200, [], "NONE")
    assert {each["job_name"]: each["impact"] for each in found["impacts"]} == dict.fromkeys(
        DOCUMENTS, "breaks"
    )
    status, refused = api("post", "schemas/orders-value/versions", {"schema": order(ID)})
    assert (status, refused["code"]) == (409, "SCHEMA_CONFLICT")
    assert all(name in refused["detail"] for name in DOCUMENTS)
    assert {each["job_name"]: each["impact"] for each in refused["impacts"]} == dict.fromkeys(
        DOCUMENTS, "breaks"
    )
    status, made = api("post", "schemas/orders-value/versions", {"schema": order(ID), "force": True})
    assert (status, made["version"]) == (201, 2)


def test_the_version_that_runs_counts_beside_the_newest(api: Api, place: OrderSchemas, owner: User) -> None:
    """A job runs by a version that reads a field; a newer one, saved and not started, does not."""
    job = Job.objects.get(name="by-name")
    first = job.versions.get()
    document = {**first.document, "steps": {"named": {"op": "filter", "input": "orders", "where": "id > 1"}}}
    add_version(job, owner, json.dumps(document))
    fewer = {"fields": [{"name": "id", "type": "long"}], "encoding": {"format": "json"}}
    found = api("post", "streams/orders/impact", {"contract": fewer})[1]["impacts"]
    assert {each["job_name"]: each["impact"] for each in found} == {
        "by-id": "unaffected",
        "by-name": "unaffected",
    }
    generation = Generation.objects.create(
        job=job, number=1, fingerprint="f", started_from="now", sources={}, checkpoint="",
        shuffle_partitions=1, result_topic="r",
        retention_ms=1,
    )  # fmt: skip
    Run.objects.create(id=f"{job.pk}.1", generation=generation, version=1, mode="microbatch")
    Job.objects.filter(pk=job.pk).update(desired="running", generation=1)
    found = api("post", "streams/orders/impact", {"contract": fewer})[1]["impacts"]
    (broken,) = [each for each in found if each["impact"] == "breaks"]
    assert broken["job_name"] == "by-name"
    assert broken["details"][0].startswith("running version 1: steps.named")


def test_conflicts_say_where_and_what_would_be_allowed(api: Api, place: OrderSchemas) -> None:
    place.client.put(
        f"{place.base}config", data=json.dumps({"compatibility": "BACKWARD"}), content_type="application/json"
    )
    schema = order(ID, NAME, {"name": "must", "type": "int"})
    (conflict,) = api("post", "schemas/orders-value/check", {"schema": schema})[1]["conflicts"]
    status, refused = api("post", "schemas/orders-value/versions", {"schema": schema})
    assert (status, refused["code"], refused["conflicts"]) == (409, "SCHEMA_CONFLICT", [conflict])
    assert (conflict["version"], conflict["direction"], "must" in conflict["path"]) == (1, "backward", True)
    assert conflict["allowed"]


def test_a_subject_that_is_not_there_has_nothing_in_the_way(api: Api) -> None:
    status, found = api("post", "schemas/new-value/check", {"schema": order(ID)})
    assert (status, found["conflicts"], found["impacts"]) == (200, [], [])
    status, refused = api("post", "schemas/new-value/check", {"schema": "{"})
    assert (status, refused["code"]) == (422, "SCHEMA_INVALID")


@pytest.mark.parametrize(
    "schema",
    [
        "[" * 5_000,
        '{"type":"record","name":"R","fields":[' + "{}," * 3_000 + "{}]}",
        '"' + "x" * 300_000 + '"',
    ],
)
def test_hostile_schemas_are_refused(api: Api, schema: str) -> None:
    for route in ("check", "versions"):
        status, refused = api("post", f"schemas/new-value/{route}", {"schema": schema})
        assert (status, refused["code"]) == (422, "SCHEMA_INVALID")


def test_of_very_many_jobs_those_that_break_are_shown(
    api: Api, place: OrderSchemas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer has at most 200; the page asks about those that break, and forces only what it has seen."""
    kinds: dict[str, Impact] = {
        **{f"a{number:03}": "unaffected" for number in range(200)},
        "b": "new_fields",
        "c": "resets_state",
        "y": "breaks",
        "z": "breaks",
    }
    every = [JobImpact(name, name, "orders", kind) for name, kind in kinds.items()]
    for app in ("streams", "schemas"):
        monkeypatch.setattr(f"weir.{app}.services.impact_hooks.IMPACT_HOOKS", [lambda *_: every])
    contract = {"contract": contract_with(("id", "long"))}
    answers = [
        api("post", "streams/orders/impact", contract),
        api("post", "schemas/orders-value/check", {"schema": order(ID)}),
        api("patch", "streams/orders", contract),
        api("post", "schemas/orders-value/versions", {"schema": order(ID)}),
    ]
    assert [status for status, _ in answers] == [200, 200, 409, 409]
    for _, answer in answers:
        assert [each["job_name"] for each in answer["impacts"][:5]] == ["y", "z", "c", "b", "a000"]


def contract_with(*fields: tuple[str, str]) -> dict[str, Any]:
    encoding = {"format": "avro", "subject": "orders-value", "framing": "confluent"}
    return {"encoding": encoding, "fields": [{"name": name, "type": kind} for name, kind in fields]}


def test_a_contract_that_breaks_jobs_must_be_forced(api: Api, place: OrderSchemas) -> None:
    narrow = contract_with(("id", "long"))
    status, found = api("post", "streams/orders/impact", {"contract": narrow})
    verdicts = {each["job_name"]: each["impact"] for each in found["impacts"]}
    assert (status, verdicts) == (200, {"by-id": "unaffected", "by-name": "breaks"})
    status, refused = api("patch", "streams/orders", {"contract": narrow})
    assert (status, refused["code"]) == (409, "BREAKS_JOBS")
    assert "by-name" in refused["detail"]
    assert "by-id" not in refused["detail"]
    assert len(Stream.objects.get(name="orders").contract["fields"]) == 2
    assert api("patch", "streams/orders", {"contract": narrow, "force": True})[0] == 200
    assert len(Stream.objects.get(name="orders").contract["fields"]) == 1


def test_a_new_field_of_a_contract_is_seen(api: Api, place: OrderSchemas) -> None:
    assert place.post("subjects/orders-value/versions", order(ID, NAME, NOTE)).status_code == 200
    wide = contract_with(("id", "long"), ("name", "string"), ("note", "string"))
    found = api("post", "streams/orders/impact", {"contract": wide})[1]["impacts"]
    assert [(each["impact"], each["details"]) for each in found] == [("new_fields", ["note"])] * 2
    status, stream = api("patch", "streams/orders", {"contract": wide})
    assert status == 200
    assert "writers" not in stream["contract"]["encoding"]
    status, again = api("patch", "streams/orders", {"contract": stream["contract"]})
    assert (status, again["contract"]) == (200, stream["contract"])


def test_a_contract_with_faults_is_told_its_faults(api: Api, place: OrderSchemas) -> None:
    status, refused = api("post", "streams/orders/impact", {"contract": contract_with(("nothing", "long"))})
    assert (status, refused["code"], refused["problems"][0]["code"]) == (
        422,
        "CONTRACT_INVALID",
        "FIELD_UNKNOWN",
    )
