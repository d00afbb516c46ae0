"""A contract that an older version of Weir has saved, and this one can't read, costs its stream alone."""

from typing import Any

import pytest
from rest_framework.test import APIClient as Client

from tests.support.run_factories import CONTRACT, DOCUMENT, trades
from tests.support.users import client_of
from weir.streams.api import stream_views
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops"
OLD = "This version of Weir can't read the contract of old (fields: Field required). Save it again."


@pytest.fixture
def ann(owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(stream_views, "fetch_within", lambda _: ({}, {}))
    trades(workspace)
    old = trades(workspace, name="old", topic="old")
    Stream.objects.filter(pk=old.pk).update(contract={"kind": "table", "columns": []})
    return client_of(owner)


def checked(client: Client, document: str) -> Any:
    return client.post(f"{BASE}/documents/check", {"document": document}, format="json").json()


def test_other_streams_and_their_documents_are_as_before(ann: Client) -> None:
    listed = ann.get(f"{BASE}/streams").json()["results"]
    assert [(row["name"], row["kind"]) for row in listed] == [("old", "table"), ("trades", "stream")]
    assert [found for found in checked(ann, DOCUMENT)["problems"] if found["severity"] == "error"] == []


def test_a_document_that_reads_it_is_told_why_it_cannot(ann: Client) -> None:
    document = DOCUMENT.replace("{stream: trades}", "{stream: old}")
    problems = [(found["path"], found["message"]) for found in checked(ann, document)["problems"]]
    assert (["sources", "trades", "stream"], OLD) in problems


def test_it_is_shown_and_refused_by_name_until_it_is_saved_again(ann: Client) -> None:
    assert ann.get(f"{BASE}/streams/old").json()["contract"] == {"kind": "table", "columns": []}
    records = {"records": [{"value": "{}"}]}
    refused = ann.post(f"{BASE}/streams/old/records/check", records, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, "CONTRACT_UNREADABLE")
    assert refused.json()["detail"] == OLD
    saved = ann.patch(f"{BASE}/streams/old", {"contract": CONTRACT}, format="json")
    assert (saved.status_code, saved.json()["kind"]) == (200, "stream")
    assert checked(ann, DOCUMENT.replace("{stream: trades}", "{stream: old}"))["problems"] == []
