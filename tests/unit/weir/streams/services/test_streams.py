"""Changing a stream: what counts as a change."""

import json
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient as Client

from tests.support.run_factories import CONTRACT, trades
from tests.support.users import client_of
from weir.workspaces.models import Event, User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
ROUTE = "/api/v1/workspaces/ops/streams/trades"


@pytest.fixture
def ann(owner: User, workspace: Workspace) -> Client:
    trades(workspace)
    return client_of(owner)


def change(client: Client, **body: Any) -> Any:
    return client.patch(ROUTE, body, format="json")


def test_a_change_of_nothing_is_none(ann: Client) -> None:
    """Others who edit the stream meanwhile would be refused for it."""
    assert change(ann, contract=CONTRACT, description="of the exchange").json()["revision"] == 2
    for nothing in ({}, {"description": "of the exchange"}, {"contract": CONTRACT}):
        assert change(ann, **nothing).json()["revision"] == 2, nothing
    assert Event.objects.filter(text="Stream trades changed").count() == 1
    assert change(ann, revision=1).json()["code"] == "REVISION_OUTDATED"


def test_contracts_have_a_bound_together(ann: Client, settings: Settings) -> None:
    size = len(json.dumps(change(ann, contract=CONTRACT).json()["contract"]))
    more = {**CONTRACT, "fields": [*CONTRACT["fields"], {"name": "more", "type": "string"}]}
    settings.QUOTAS = {**settings.QUOTAS, "contract_characters": size}
    refused = change(ann, contract=more)
    assert (refused.status_code, refused.json()["quota"]) == (422, "contract_characters")
    settings.QUOTAS = {**settings.QUOTAS, "contract_characters": 2 * size}
    assert change(ann, contract=more).status_code == 200
    settings.QUOTAS = {**settings.QUOTAS, "contract_characters": 1}
    assert change(ann, contract=CONTRACT).status_code == 200, "a shorter one takes no room"


def test_a_contract_has_a_bound(ann: Client) -> None:
    """Lists of streams load all of them, and a run's message has those of its sources."""
    fields = [{"name": field["name"], "type": "string"} for field in CONTRACT["fields"]]
    schema = json.dumps({"type": "record", "name": "R", "doc": "x" * 60_000, "fields": fields})
    for writers, is_refused in ((6, False), (9, True)):
        encoding = {"format": "avro", "schema": schema, "writers": {str(at): schema for at in range(writers)}}
        answer = change(ann, contract={**CONTRACT, "encoding": encoding})
        assert ("more than 500,000" in answer.json().get("detail", "")) == is_refused
