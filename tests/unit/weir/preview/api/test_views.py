"""Answers of the preview route while there is no engine."""

import pytest
from django.test import Client

from tests.support.run_factories import DOCUMENT, trades
from tests.support.users import client_of
from weir.runs.models import Engine
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

BODY = {"document": DOCUMENT, "page": "p"}
ROUTE = "/api/v1/workspaces/ops/documents/preview"


@pytest.fixture
def ann(owner: User, workspace: Workspace) -> Client:
    trades(workspace)
    return client_of(owner)


def test_while_an_engine_starts_the_answer_is_no_error(ann: Client) -> None:
    Engine.objects.create(id="shared-1", kind="shared", state="starting", host_queue="q", slots=8)
    answer = ann.post(ROUTE, BODY, content_type="application/json")
    assert answer.status_code == 202
    assert answer.json() == {"waiting": "An engine is starting. That takes up to half a minute."}


def test_without_an_engine_that_starts_it_is_one(ann: Client) -> None:
    answer = ann.post(ROUTE, BODY, content_type="application/json")
    assert answer.status_code == 503
    assert answer.json()["code"] == "NO_ENGINE"
