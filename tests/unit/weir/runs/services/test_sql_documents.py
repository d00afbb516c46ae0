"""SQL of a workspace's streams: documents, problems at their place, and back."""

import json
from typing import Any

import pytest

from tests.support.run_factories import job_of
from tests.support.users import client_of, member
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])
ROOT = "/api/v1/workspaces/ops/documents"


@pytest.fixture
def viewer(owner: User, workspace: Workspace) -> Any:
    job_of(workspace, owner)  # registers trades
    return client_of(member(workspace, "vera", Role.VIEWER))


def test_text_becomes_a_document_under_the_jobs_name(viewer: Any) -> None:
    answer = viewer.post(f"{ROOT}/sql", {"text": "SELECT symbol FROM trades", "name": "mine"}).json()
    assert answer["problems"] == []
    assert answer["document"]["name"] == "mine"
    assert answer["document"]["sources"] == {"trades": {"stream": "trades"}}
    named = viewer.post(f"{ROOT}/sql", {"text": "SET 'name' = 'own'; SELECT symbol FROM trades"}).json()
    assert named["document"]["name"] == "own"


@pytest.mark.parametrize(
    ("text", "code", "place", "is_read"),
    [
        ("SELECT symbol, prise FROM trades", "FIELD_UNKNOWN", "prise", True),
        ("SELECT symbol FROM trades LIMIT 3", "SQL_INVALID", "LIMIT", False),
        ("SELECT * FROM elsewhere", "PARAMETER_RANGE", "elsewhere", True),
    ],
)
def test_problems_are_at_their_place(viewer: Any, text: str, code: str, place: str, is_read: bool) -> None:
    answer = viewer.post(f"{ROOT}/sql", {"text": text, "name": "n"}).json()
    found = answer["problems"][0]
    assert (found["code"], text[slice(*found["span"])]) == (code, place)
    assert (answer["document"] is not None) == is_read


def test_a_document_becomes_text_or_says_why_not(viewer: Any) -> None:
    document: dict[str, Any] = {
        "format": 1,
        "name": "n",
        "sources": {"trades": {"stream": "trades"}},
        "steps": {"odd": {"op": "filter", "input": "trades", "where": "symbol = 'a'"}},
        "outputs": {"live": {"input": "odd", "to": "result"}},
    }
    answer = viewer.post(f"{ROOT}/to-sql", {"document": json.dumps(document)}).json()
    assert "CREATE VIEW odd AS\nSELECT *\nFROM trades\nWHERE symbol = 'a';" in answer["text"]
    assert (answer["problems"], answer["refusals"]) == ([], [])

    document["steps"]["odd"]["where"] = "symbol = 'a"
    answer = viewer.post(f"{ROOT}/to-sql", {"document": json.dumps(document)}).json()
    assert answer["text"] == ""
    assert answer["refusals"][0]["path"] == "steps.odd"

    answer = viewer.post(f"{ROOT}/to-sql", {"document": "name: ["}).json()
    assert answer["text"] == ""
    assert answer["problems"]
