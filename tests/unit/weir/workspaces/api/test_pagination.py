"""Cursors of lists that did not come from a page before."""

import base64

import pytest

from tests.support.run_factories import job_of
from tests.support.users import client_of
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def written(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        written("p=yesterday"),
        written("p=1e999"),
        written("p=\x00"),
        written("o=x"),
        written("p=2026-13-01"),
        written("p=9999-12-31T23:59:59-01:00"),
        written("p=0001-01-01T00:00:00+01:00"),
    ],
)
@pytest.mark.parametrize("route", ["jobs/{job}/runs", "jobs/{job}/versions", "audit-trail"])
def test_a_cursor_of_nobody_is_refused_with_what_to_do(
    workspace: Workspace, owner: User, route: str, cursor: str
) -> None:
    path = route.format(job=job_of(workspace, owner).pk)
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/{path}", {"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "CURSOR_INVALID")
    assert "Restart without it" in answer.json()["detail"]
