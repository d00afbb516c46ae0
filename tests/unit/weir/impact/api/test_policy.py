"""The registry's rules and deletions, as people use them."""

import json
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.support.order_schemas import ID, NAME, order, orders
from tests.support.users import client_of, member
from weir.impact.api import views
from weir.schemas.services.deletion import delete_version
from weir.schemas.services.registration import register
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db


class Api:
    def __init__(self, person: User, workspace: Workspace) -> None:
        self.client, self.base = client_of(person), f"/api/v1/workspaces/{workspace.slug}/"

    def __call__(self, method: str, route: str, body: Any = None) -> tuple[int, Any]:
        data = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = getattr(self.client, method)(self.base + route, **data)
        return answer.status_code, answer.json()


@pytest.fixture
def api(owner: User, workspace: Workspace) -> Api:
    orders(workspace, owner)
    return Api(owner, workspace)


def test_level_and_mode_of_all_and_of_one_subject(api: Api) -> None:
    before = api("get", "schema-policy")[1]
    assert api("put", "schema-policy", {"level": "FULL"}) == (200, {**before, "level": "FULL"})
    status, subject = api("put", "schemas/orders-value/policy", {"level": "FORWARD", "mode": "READONLY"})
    assert (status, subject["level"], subject["own_level"], subject["mode"], subject["own_mode"]) == (
        200, "FORWARD", "FORWARD", "READONLY", "READONLY",
    )  # fmt: skip
    status, refused = api("post", "schemas/orders-value/versions", {"schema": order(ID), "force": True})
    assert (status, "read-only" in refused["detail"]) == (422, True)
    status, subject = api("put", "schemas/orders-value/policy", {"level": "", "mode": ""})
    assert (subject["level"], subject["own_level"], subject["own_mode"]) == ("FULL", "", "")


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        ("schema-policy", {"level": "SOMETIMES"}, 400),
        ("schema-policy", {"level": ""}, 422),
        ("schemas/orders-value/policy", {"mode": "WRITEONLY"}, 400),
        ("schemas/none/policy", {"level": "FULL"}, 404),
    ],
)
def test_what_is_no_rule_is_refused(api: Api, route: str, body: Any, status: int) -> None:
    assert api("put", route, body)[0] == status


def test_a_version_is_hidden_shown_and_gone_for_good(api: Api) -> None:
    api("put", "schemas/orders-value/policy", {"level": "NONE"})
    newest = api("post", "schemas/orders-value/versions", {"schema": order(ID), "force": True})[1]["version"]
    assert api("delete", f"schemas/orders-value/versions/{newest}?permanent=true")[0] == 404  # not hidden yet
    assert api("delete", f"schemas/orders-value/versions/{newest}") == (200, {"versions": [newest]})
    assert newest not in [version["version"] for version in api("get", "schemas/orders-value")[1]["versions"]]
    hidden = api("get", "schemas/orders-value?deleted=true")[1]["versions"][0]
    assert (hidden["version"], hidden["deleted"]) == (newest, True)
    assert api("delete", f"schemas/orders-value/versions/{newest}?permanent=true")[0] == 200
    assert newest not in [
        version["version"] for version in api("get", "schemas/orders-value?deleted=true")[1]["versions"]
    ]
    status, gone = api("delete", "schemas/orders-value")
    assert (status, len(gone["versions"])) == (200, newest - 1)
    assert api("get", "schemas")[1]["results"] == []
    (row,) = api("get", "schemas?deleted=true")[1]["results"]
    assert (row["name"], row["deleted"], row["versions"]) == ("orders-value", True, 0)


@pytest.mark.parametrize("permanent", [False, True])
def test_a_version_that_somebody_deletes_meanwhile(
    api: Api, monkeypatch: pytest.MonkeyPatch, permanent: bool
) -> None:
    """Registering waits for Kafka, and holds nothing while it does."""

    def registered(workspace: Workspace, subject: str, *given: Any, **flags: Any) -> Any:
        made = register(workspace, subject, *given, **flags)
        delete_version(workspace, subject, str(made.version), "bob", permanent=False)
        if permanent:
            delete_version(workspace, subject, str(made.version), "bob", permanent=True)
        return made

    api("put", "schemas/orders-value/policy", {"level": "NONE"})
    monkeypatch.setattr(views, "register", registered)
    status, answer = api("post", "schemas/orders-value/versions", {"schema": order(ID), "force": True})
    if permanent:
        assert status == 404
    else:
        assert (status, answer["deleted"]) == (201, True)


def test_who_refers_to_a_version_is_told_and_keeps_it(api: Api) -> None:
    inner = json.dumps({"type": "record", "name": "Inner", "fields": [ID]})
    outer = json.dumps(
        {"type": "record", "name": "Outer", "fields": [{"name": "inner", "type": "Inner"}, NAME]}
    )
    api("post", "schemas/inner/versions", {"schema": inner})
    reference = {"name": "Inner", "subject": "inner", "version": 1}
    assert (
        api(
            "post", "schemas/outer/versions", {"schema": outer, "references": [reference], "normalize": True}
        )[0]
        == 201
    )
    assert api("get", "schemas/inner")[1]["versions"][0]["referenced_by"] == [
        {"subject": "outer", "version": 1}
    ]
    status, refused = api("delete", "schemas/inner/versions/1")
    assert (status, "references exist" in refused["detail"]) == (422, True)


def test_a_viewer_changes_no_rule(api: Api, workspace: Workspace) -> None:
    viewer = Api(member(workspace, "vic", Role.VIEWER), workspace)
    assert viewer("get", "schema-policy")[0] == 200
    assert viewer("put", "schema-policy", {"level": "NONE"})[0] == 403
    assert viewer("delete", "schemas/orders-value")[0] == 403


def test_a_schema_that_is_there_is_answered_with_its_own_version(api: Api) -> None:
    api("put", "schemas/orders-value/policy", {"level": "NONE"})
    first = api("get", "schemas/orders-value")[1]["versions"][0]
    made = api("post", "schemas/orders-value/versions", {"schema": order(ID), "force": True})[1]
    assert made["version"] == first["version"] + 1
    again = api("post", "schemas/orders-value/versions", {"schema": first["schema"], "force": True})[1]
    assert (again["version"], again["id"]) == (first["version"], first["id"])


def test_subjects_are_listed_without_a_query_each(
    api: Api, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        api("post", f"schemas/s{number}/versions", {"schema": order(ID, NAME)})
    with django_assert_max_num_queries(12):
        assert len(api("get", "schemas")[1]["results"]) == 21
