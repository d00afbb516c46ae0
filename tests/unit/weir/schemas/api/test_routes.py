"""Confluent's routes and error codes, asked as a client asks."""

import json
import re
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from tests.support.users import client_of, create_user, member, workspace_of
from weir.impact.services import subjects
from weir.schemas import urls
from weir.schemas.models import Schema, Subject, Version
from weir.schemas.services import levels, queries, registration
from weir.schemas.services.levels import MAX_CPU_S
from weir.schemas.services.parsing import ParsedSchema
from weir.schemas.services.queries import parse_stored
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db

ID = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
ID_AND_NOTE = {**ID, "fields": [*ID["fields"], {"name": "note", "type": ["null", "string"], "default": None}]}
ID_AND_NAME = {**ID, "fields": [*ID["fields"], {"name": "name", "type": "string"}]}
MEDIA = "application/vnd.schemaregistry.v1+json"


class Registry:
    def __init__(self, client: Client, workspace: Workspace) -> None:
        self.client, self.base = client, f"/registry/{workspace.slug}/"

    def __call__(self, method: str, route: str, body: Any = None) -> tuple[int, Any]:
        data = {} if body is None else {"data": json.dumps(body), "content_type": MEDIA}
        answer = getattr(self.client, method)(self.base + route, **data)
        assert answer["Content-Type"].startswith(MEDIA)
        return answer.status_code, answer.json()

    def add(self, subject: str, schema: Any, **more: Any) -> tuple[int, Any]:
        return self("post", f"subjects/{subject}/versions", {"schema": json.dumps(schema), **more})

    def code(self, method: str, route: str, body: Any = None) -> int:
        status, answer = self(method, route, body)
        assert str(answer["error_code"]).startswith(str(status))
        assert answer["message"]
        return int(answer["error_code"])


@pytest.fixture
def registry(owner: User, workspace: Workspace) -> Registry:
    return Registry(client_of(owner), workspace)


def test_a_schema_is_registered_once(registry: Registry) -> None:
    status, first = registry.add("a", ID)
    assert (status, first["id"], first["version"]) == (200, 1, 1)
    assert registry.add("a", ID)[1]["version"] == 1
    assert registry.add("b", ID)[1]["id"] == 1
    assert registry.add("a", ID_AND_NOTE)[1]["id"] == 2
    assert registry("get", "subjects") == (200, ["a", "b"])
    assert registry("get", "subjects/a/versions") == (200, [1, 2])
    assert json.loads(registry("get", "schemas/ids/1")[1]["schema"]) == ID
    assert registry("get", "schemas/ids/1/versions")[1] == [
        {"subject": "a", "version": 1},
        {"subject": "b", "version": 1},
    ]
    assert registry("get", "schemas/ids/1/subjects")[1] == ["a", "b"]
    latest = registry("get", "subjects/a/versions/latest")[1]
    assert (latest["version"], latest["id"], latest["subject"]) == (2, 2, "a")
    assert registry("get", f"schemas/guids/{latest['guid']}")[1]["schema"] == latest["schema"]
    assert registry("post", "subjects/a", {"schema": json.dumps(ID)})[1]["version"] == 1


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"properties": {f"p{at}": "x" * 900 for at in range(17)}}, 200),
        ({"properties": {f"p{at}": "x" * 900 for at in range(18)}}, 42201),
        ({"tags": {"t": ["x" * 200] * 100}}, 42201),
    ],
)
def test_metadata_has_a_bound(registry: Registry, metadata: dict[str, Any], code: int) -> None:
    """Lists load that of a thousand schemas."""
    status, answer = registry.add("a", ID, metadata=metadata)
    assert answer.get("error_code", status) == code
    assert code == 200 or "more than 16,000" in answer["message"]


def test_unknown_things_have_their_codes(registry: Registry) -> None:
    registry.add("a", ID)
    assert registry.code("get", "subjects/x/versions") == 40401
    assert registry.code("get", "subjects/a/versions/7") == 40402
    assert registry.code("get", "subjects/a/versions/0") == 42202
    assert registry.code("get", "subjects/a/versions/newest") == 42202
    assert registry.code("get", "schemas/ids/77") == 40403
    assert registry.code("post", "subjects/a", {"schema": json.dumps(ID_AND_NOTE)}) == 40403
    assert registry.code("post", "subjects/x", {"schema": json.dumps(ID)}) == 40401
    assert registry.code("get", "config/a") == 40408
    assert registry.code("get", "mode/a") == 40409
    assert registry.code("put", "config", {"compatibility": "SOME"}) == 42203
    assert registry.code("put", "mode", {"mode": "SOME"}) == 42204
    assert registry.code("post", "subjects/a/versions", {"schema": "{"}) == 42201
    assert registry.code("post", "subjects/a/versions", {"schema": '"nothing"'}) == 42201
    field = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "string", "default": %s}]}'
    for default in ('"\\ud800"', "NaN", '"a", "doc": "\\udc00"'):
        assert registry.code("post", "subjects/a/versions", {"schema": field % default}) == 42201
    enum = '{"type": "enum", "name": "E", "symbols": ["A"], "default": []}'
    assert registry.code("post", "subjects/a/versions", {"schema": enum}) == 42201
    for schema in ('{"const": NaN}', '{"const": "\\ud800"}'):
        given = {"schema": schema, "schemaType": "JSON"}
        assert registry.code("post", "subjects/a/versions", given) == 42201
    assert registry.code("post", "subjects/a/versions", {"schema": "{}", "schemaType": "PROTOBUF"}) == 42201
    assert registry.code("post", "subjects/a/versions", {}) == 42201
    assert registry.code("post", "subjects/a/versions", {"schema": " " * 300_000}) == 42209
    assert registry.code("post", f"subjects/{'x' * 256}/versions", {"schema": json.dumps(ID)}) == 42208


def test_an_incompatible_schema_says_where(registry: Registry) -> None:
    registry.add("a", ID)
    status, answer = registry.add("a", ID_AND_NAME)
    assert (status, answer["error_code"]) == (409, 409)
    assert "READER_FIELD_MISSING_DEFAULT_VALUE at name" in answer["message"]
    assert "Allowed: the field with a default" in answer["message"]
    assert answer["conflicts"][0]["path"] == "name"
    body = {"schema": json.dumps(ID_AND_NAME)}
    assert registry("post", "compatibility/subjects/a/versions/latest", body)[1] == {"is_compatible": False}
    verbose = registry("post", "compatibility/subjects/a/versions?verbose=true", body)[1]
    assert verbose["messages"][0].startswith("BACKWARD with version 1:")
    assert registry("put", "config/a", {"compatibility": "FORWARD"}) == (200, {"compatibility": "FORWARD"})
    assert registry("get", "config/a")[1] == {"compatibilityLevel": "FORWARD"}
    assert registry("post", "compatibility/subjects/a/versions/1", body)[1] == {"is_compatible": True}
    assert registry.add("a", ID_AND_NAME)[0] == 200
    assert registry("delete", "config/a")[1] == {"compatibilityLevel": "FORWARD"}
    assert registry("get", "config/a?defaultToGlobal=true")[1] == {"compatibilityLevel": "BACKWARD"}


@pytest.mark.parametrize(
    ("level", "taken"),
    [
        ("NONE", True),
        ("BACKWARD", True),
        ("BACKWARD_TRANSITIVE", False),
        ("FORWARD", True),
        ("FORWARD_TRANSITIVE", True),
        ("FULL", True),
        ("FULL_TRANSITIVE", False),
    ],
)
def test_transitive_levels_look_at_all_versions(registry: Registry, level: str, taken: bool) -> None:
    registry("put", "config", {"compatibility": "NONE"})
    registry.add("a", ID)
    registry.add("a", ID_AND_NAME)
    registry("put", "config", {"compatibility": level})
    with_default = {
        **ID,
        "fields": [
            *ID["fields"],
            {"name": "name", "type": "string"},
            {"name": "n", "type": "int", "default": 1},
        ],
    }
    assert registry.add("a", with_default)[0] == (200 if taken else 409)


def test_soft_and_hard_delete(registry: Registry) -> None:
    for schema in (ID, ID_AND_NOTE):
        registry.add("a", schema)
    assert registry.code("delete", "subjects/a/versions/2?permanent=true") == 40407
    assert registry("delete", "subjects/a/versions/2") == (200, 2)
    assert registry.code("delete", "subjects/a/versions/2") == 40406
    assert registry("get", "subjects/a/versions/latest")[1]["version"] == 1
    assert registry.code("get", "subjects/a/versions/2") == 40402
    assert registry("get", "subjects/a/versions/2?deleted=true")[1]["version"] == 2
    assert registry("get", "schemas/ids/2")[0] == 200
    assert registry("delete", "subjects/a/versions/2?permanent=true") == (200, 2)
    assert registry.code("get", "schemas/ids/2") == 40403
    assert registry.add("a", ID_AND_NOTE)[1]["version"] == 3
    assert registry.code("delete", "subjects/a?permanent=true") == 40405
    assert registry("delete", "subjects/a") == (200, [1, 3])
    assert registry.code("delete", "subjects/a") == 40404
    assert registry("get", "subjects")[1] == []
    assert registry("get", "subjects?deleted=true")[1] == ["a"]
    assert registry("get", "subjects?deletedOnly=true")[1] == ["a"]
    assert registry("delete", "subjects/a?permanent=true") == (200, [1, 3])
    assert registry.code("delete", "subjects/a") == 40401
    assert registry.add("a", ID)[1]["version"] == 4


def test_references(registry: Registry) -> None:
    registry.add(
        "money",
        {
            "type": "record",
            "name": "Money",
            "namespace": "shop",
            "fields": [{"name": "cents", "type": "long"}],
        },
    )
    order = {"type": "record", "name": "Order", "fields": [{"name": "total", "type": "shop.Money"}]}
    uses = [{"name": "shop.Money", "subject": "money", "version": 1}]
    assert registry.add("order", order)[1]["error_code"] == 42201
    assert registry.add("order", order, references=[{**uses[0], "version": 9}])[1]["error_code"] == 42201
    status, made = registry.add("order", order, references=uses)
    assert (status, made["references"]) == (200, uses)
    assert registry("get", "subjects/money/versions/1/referencedby") == (200, [made["id"]])
    assert registry.code("delete", "subjects/money") == 42206
    assert registry.code("delete", "subjects/money/versions/1") == 42206
    assert registry("delete", "subjects/order")[0] == 200
    assert registry("delete", "subjects/money")[0] == 200
    assert registry.add("order", order, references=uses)[0] == 200  # a hidden version can be referred to
    assert registry.code("delete", "subjects/money?permanent=true") == 42206
    assert registry.code("delete", "subjects/money/versions/1?permanent=true") == 42206
    assert registry("delete", "subjects/order")[0] == 200
    assert registry("delete", "subjects/money?permanent=true")[0] == 200


def test_modes(registry: Registry) -> None:
    assert registry("get", "mode") == (200, {"mode": "READWRITE"})
    registry("put", "mode/a", {"mode": "READONLY"})
    assert registry.add("a", ID)[1]["error_code"] == 42205
    assert registry.add("b", ID)[0] == 200
    assert registry.add("c", ID_AND_NAME, id=50)[1]["error_code"] == 42205
    registry("put", "mode/c", {"mode": "IMPORT"})
    made = registry.add("c", ID_AND_NAME, id=50, version=5)[1]
    assert (made["id"], made["version"]) == (50, 5)
    assert registry("delete", "mode/a")[1] == {"mode": "READONLY"}
    assert registry.add("a", ID_AND_NOTE)[1]["id"] == 51


@pytest.mark.parametrize("mode", ["READONLY", "IMPORT"])
def test_a_frozen_subject_still_names_what_it_has(registry: Registry, mode: str) -> None:
    """Serializers register what they write whenever they start."""
    made = registry.add("a", ID)[1]
    registry("put", "mode/a?force=true", {"mode": mode})
    assert registry.add("a", ID) == (200, made)
    assert registry.add("a", ID_AND_NAME)[1]["error_code"] == 42205


def test_an_import_gets_the_ids_and_versions_that_it_asks_for_or_an_error(registry: Registry) -> None:
    registry.add("a", ID)
    registry("put", "mode", {"mode": "IMPORT"})
    assert registry.add("b", ID, id=7)[1]["error_code"] == 42205  # it is 1 here, and records would say 7
    assert registry.add("b", ID_AND_NOTE, id=1)[1]["error_code"] == 42205
    assert registry.add("b", ID_AND_NOTE)[1]["error_code"] == 42205  # the ID is the client's to give
    assert registry.add("b", ID_AND_NOTE, id=2**31)[1]["error_code"] == 42201
    assert registry.add("b", ID_AND_NOTE, id=7, version=2**31)[1]["error_code"] == 42201
    made = [
        registry.add("b", schema, id=schema_id, version=version)[1]
        for schema, schema_id, version in ((ID_AND_NOTE, 7, 4), (ID_AND_NAME, 9, 2), (ID_AND_NOTE, 7, 4))
    ]  # a history that no level allows, and not in its order
    assert [(one["id"], one["version"]) for one in made] == [(7, 4), (9, 2), (7, 4)]
    assert registry("get", "subjects/b/versions")[1] == [2, 4]
    assert registry.add("b", ID, id=1, version=4)[1]["error_code"] == 42205
    assert registry.add("b", ID, id=1)[1]["version"] == 5


def test_an_id_keeps_its_meaning_when_its_schema_is_deleted_for_good(registry: Registry) -> None:
    """Jobs and contracts know it: they would read the next one's records by it."""
    registry.add("a", ID)
    for permanent in ("false", "true"):
        assert registry("delete", f"subjects/a?permanent={permanent}") == (200, [1])
    registry("put", "mode", {"mode": "IMPORT"})
    status, answer = registry.add("b", ID_AND_NAME, id=1)
    assert (status, answer["error_code"]) == (422, 42205)
    assert "ID 1 was that of another schema" in answer["message"]
    assert registry.add("b", ID, id=1)[1]["id"] == 1, "its own"
    assert registry.add("c", ID_AND_NAME, id=2)[1]["id"] == 2


def test_ids_end_where_those_of_records_end(registry: Registry) -> None:
    registry("put", "mode/a", {"mode": "IMPORT"})
    assert registry.add("a", ID, id=2**31 - 1)[1]["id"] == 2**31 - 1
    assert registry.add("b", ID_AND_NOTE)[1]["error_code"] == 42210


def test_a_version_is_the_next_one_or_refused(registry: Registry) -> None:
    assert registry.add("a", ID, version=2)[1]["error_code"] == 42201
    assert registry.add("a", ID, version=1)[1]["version"] == 1
    assert registry.add("a", ID_AND_NOTE, version=1_000)[1]["error_code"] == 42201
    assert registry.add("a", ID_AND_NOTE, version=2)[1]["version"] == 2


def test_a_number_is_written_in_digits(registry: Registry) -> None:
    registry.add("a", ID)
    for written in ("0_1", "+1", "%201", "\u0661", "1" * 5_000):
        assert registry.code("get", f"subjects/a/versions/{written}") == 42202


def test_a_first_version_is_compatible(registry: Registry) -> None:
    body = {"schema": json.dumps(ID)}
    for versions in ("versions", "versions/latest", "versions/-1"):
        assert registry("post", f"compatibility/subjects/new/{versions}", body)[1] == {"is_compatible": True}
    assert registry.code("post", "compatibility/subjects/new/versions/1", body) == 40401


@pytest.mark.every_database
def test_a_prefix_of_subjects_knows_case(registry: Registry) -> None:
    for subject in ("Orders-value", "orders-value", "o_ders-value"):
        registry.add(subject, ID)
    assert registry("get", "subjects?subjectPrefix=o_")[1] == ["o_ders-value"]
    assert registry("get", "subjects?subjectPrefix=ord")[1] == ["orders-value"]


@pytest.mark.every_database
def test_all_schemas_with_their_subjects(
    registry: Registry, django_assert_max_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    for subject in ("b-value", "B-value", "a-value"):
        registry.add(subject, ID)
    registry.add("b-value", ID_AND_NOTE)
    registry("delete", "subjects/a-value")

    def listed(query: str = "") -> list[tuple[str, int]]:
        return [(row["subject"], row["version"]) for row in registry("get", f"schemas?{query}")[1]]

    with django_assert_max_num_queries(6):
        assert listed() == [("B-value", 1), ("b-value", 1), ("b-value", 2)]
    assert listed("latestOnly=true") == [("B-value", 1), ("b-value", 2)]
    assert listed("deleted=true&subjectPrefix=a") == [("a-value", 1)]
    assert listed("offset=1&limit=1") == [("b-value", 1)]
    assert registry("get", "schemas?subjectPrefix=b")[1] == [
        registry("get", f"subjects/b-value/versions/{version}")[1] for version in (1, 2)
    ]
    monkeypatch.setattr(queries, "MAX_LISTED_CHARACTERS", len(json.dumps(ID_AND_NOTE)))
    assert registry.code("get", "schemas") == 422
    assert len(registry("get", "schemas?limit=1")[1]) == 1


def test_references_are_followed_once_each(
    registry: Registry, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    references: list[dict[str, Any]] = []
    for level in range(12):  # each refers to all before it: 2,048 ways lead to the first
        schema = {"type": "record", "name": f"R{level}", "fields": []}
        assert registry.add(f"r{level}", schema, references=references)[0] == 200
        references.append({"name": f"R{level}", "subject": f"r{level}", "version": 1})
    body = {"schema": json.dumps(ID), "references": references}
    with django_assert_max_num_queries(80):
        assert registry.code("post", "subjects/r0", body) == 40403


def test_only_versions_that_are_compared_are_read(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []

    def parse(workspace: Workspace, schema: Schema, **more: bool) -> ParsedSchema:
        parsed.append(schema.schema_id)
        return parse_stored(workspace, schema, **more)

    monkeypatch.setattr(registration, "parse_stored", parse)
    for number in range(4):
        assert registry.add("a", {**ID, "doc": str(number)})[0] == 200
    assert parsed == [1, 2, 3]


@pytest.fixture
def many(registry: Registry, workspace: Workspace) -> None:
    """A subject with versions of a size, as many as would take long."""
    subject = Subject.objects.create(workspace=workspace, name="s", level="FULL_TRANSITIVE", last_version=60)
    schemas = Schema.objects.bulk_create(
        Schema(
            workspace=workspace, schema_id=number, guid=uuid4(), kind="AVRO",
            text=json.dumps({**ID, "doc": f"{number}" + "x" * 10_000}), digest=str(number),
        )
        for number in range(1, 61)
    )  # fmt: skip
    Version.objects.bulk_create(
        Version(subject=subject, version=schema.schema_id, schema=schema) for schema in schemas
    )


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the schemas that are parsed. Each takes a second."""
    found: list[int] = []

    def parse(workspace: Workspace, schema: Schema, **more: bool) -> ParsedSchema:
        found.append(schema.schema_id)
        return parse_stored(workspace, schema, **more)

    for module in (registration, subjects):
        monkeypatch.setattr(module, "parse_stored", parse)
    clock = SimpleNamespace(thread_time=lambda: float(len(found)))
    for module in (registration, levels):
        monkeypatch.setattr(module, "time", clock)
    return found


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("path", ["compatibility/subjects/s/versions", "subjects/s/versions"])
def test_earlier_versions_are_parsed_within_the_bound_of_a_comparison(
    registry: Registry, parsed: list[int], path: str
) -> None:
    status, answer = registry("post", path, {"schema": json.dumps(ID)})
    assert len(parsed) <= MAX_CPU_S + 2
    if status == 200:
        assert answer["is_compatible"] is False
    else:
        assert (status, answer["conflicts"][-1]["rule"]) == (409, "NOT_COMPARED")


@pytest.mark.usefixtures("many")
def test_versions_are_normalised_within_a_bound(registry: Registry, parsed: list[int]) -> None:
    status, answer = registry("post", "subjects/s?normalize=true", {"schema": json.dumps(ID_AND_NAME)})
    assert (status, "Leave out normalize=true." in answer["message"]) == (422, True)
    assert len(parsed) <= MAX_CPU_S + 2
    assert registry.code("post", "subjects/s", {"schema": json.dumps(ID_AND_NAME)}) == 40403


@pytest.mark.usefixtures("many")
def test_numbers_of_versions_need_no_texts(registry: Registry) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert registry("get", "subjects/s/versions")[1] == list(range(1, 61))
        assert registry.code("post", "subjects/s", {"schema": json.dumps(ID_AND_NAME)}) == 40403
        assert registry.code("get", "subjects/s/metadata?key=a&value=b") == 40403
    assert not [each["sql"] for each in asked if '"schemas_schema"."text"' in each["sql"]]


@pytest.mark.usefixtures("many")
def test_a_subject_shows_the_texts_of_its_newest_versions(
    registry: Registry, parsed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "MAX_CHARACTERS", 50_000)
    answer = registry.client.get("/api/v1/workspaces/ops/schemas/s")
    found = answer.json()["versions"]
    assert [version["version"] for version in found] == list(range(60, 0, -1))
    shown = [version["version"] for version in found if version["schema"]]
    assert shown == [version["version"] for version in found if version["fields"]] == [60, 59, 58, 57]
    assert sorted(parsed) == shown[::-1]
    assert len(answer.content) < 80_000
    monkeypatch.setattr(subjects, "MAX_CHARACTERS", 10)
    found = registry.client.get("/api/v1/workspaces/ops/schemas/s").json()["versions"]
    assert [version["version"] for version in found if version["schema"]] == [60], "the newest always"
    for number in (59, 60):
        registry("delete", f"subjects/s/versions/{number}")
    found = registry.client.get("/api/v1/workspaces/ops/schemas/s?deleted=true").json()["versions"]
    assert [version["version"] for version in found if version["schema"]] == [58], "it is what is used"


def test_normalised_texts_are_one_schema(registry: Registry) -> None:
    other = {"fields": [{"type": "long", "name": "id"}], "name": "R", "type": "record"}
    registry("post", "subjects/a/versions?normalize=true", {"schema": json.dumps(ID)})
    assert (
        registry("post", "subjects/a/versions?normalize=true", {"schema": json.dumps(other, indent=2)})[1][
            "version"
        ]
        == 1
    )
    assert registry.code("post", "subjects/a", {"schema": json.dumps(other)}) == 40403
    assert registry("post", "subjects/a?normalize=true", {"schema": json.dumps(other)})[1]["version"] == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/x.json"},
        {"$ref": "file:///etc/passwd"},
        {"type": "string", "pattern": "(" * 2_000 + ")" * 2_000},
        {"type": "strin"},
        {"properties": {"a": {"$ref": "https://example.org/s"}}},
    ],
)
def test_hostile_json_schemas(registry: Registry, schema: Any) -> None:
    assert registry.add("a", schema, schemaType="JSON")[1]["error_code"] == 42201


def test_deep_and_wide_schemas(registry: Registry) -> None:
    deep = '{"type":"array","items":' * 5_000 + '"int"' + "}" * 5_000
    assert registry.code("post", "subjects/a/versions", {"schema": deep}) == 42201
    wide = {"type": "record", "name": "W", "fields": [{"name": f"f{i}", "type": "int"} for i in range(5_000)]}
    assert registry.add("a", wide)[1]["error_code"] == 42201


ROUTES = [
    (
        method,
        re.sub(
            "<int:[a-z_]+>",
            "1",
            re.sub("<uuid:[a-z]+>", str(UUID(int=1)), re.sub("<str:[a-z]+>", "a", str(pattern.pattern))),
        ),
    )
    for pattern in urls.urlpatterns
    for method in ("get", "post", "put", "delete")
    if hasattr(pattern.callback.cls, method)  # type: ignore[attr-defined]
]


@pytest.mark.parametrize(("method", "route"), ROUTES)
def test_a_stranger_learns_nothing(registry: Registry, workspace: Workspace, method: str, route: str) -> None:
    registry.add("a", ID)
    stranger = client_of(create_user("eve"))
    foreign, missing = (
        getattr(stranger, method)(f"/registry/{slug}/{route}") for slug in (workspace.slug, "no-such-place")
    )
    assert (foreign.status_code, foreign.content) == (404, missing.content)
    assert getattr(client_of(), method)(f"/registry/{workspace.slug}/{route}").status_code == 401


def test_another_workspace_and_viewers(registry: Registry, workspace: Workspace, owner: User) -> None:
    registry.add("a", ID)
    elsewhere = Registry(client_of(owner), workspace_of(owner, "elsewhere"))
    assert elsewhere.code("get", "subjects/a/versions/1") == 40401
    assert elsewhere.code("get", "schemas/ids/1") == 40403
    viewer = Registry(client_of(member(workspace, "vera", Role.VIEWER)), workspace)
    assert viewer("get", "subjects")[1] == ["a"]
    assert viewer("post", "subjects/a", {"schema": json.dumps(ID)})[0] == 200
    assert viewer.add("a", ID_AND_NOTE)[0] == 403
