"""A workspace's metrics: for its members' tokens, whatever their programs accept."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.measured_jobs import measured_job
from tests.support.users import client_of, create_user, member
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db(databases=["default", "results"])
PATH = "/api/v1/workspaces/ops/metrics"
# What Prometheus 3 sends.
ACCEPT = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;q=0.3"


@pytest.mark.parametrize("accept", [ACCEPT, "text/plain", "*/*"])
def test_a_viewers_token_reads_them(workspace: Workspace, owner: User, accept: str) -> None:
    measured_job(workspace, owner)
    _, text = create_token(member(workspace, "vic", Role.VIEWER), "prometheus", None)
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    answer = client.get(PATH, HTTP_ACCEPT=accept)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert answer["Cache-Control"] == "no-store"
    found = {family.name: family for family in text_string_to_metric_families(answer.content.decode())}
    assert [sample.value for sample in found["weir_job_lag_records"].samples] == [20]
    assert "weir_live_connections" not in found, "of the process, which is not the workspace's"


@pytest.mark.parametrize("accept", [ACCEPT, "text/plain", "*/*"])
def test_a_stranger_learns_nothing(workspace: Workspace, owner: User, accept: str) -> None:
    measured_job(workspace, owner)
    eve = client_of(create_user("eve"))
    foreign = eve.get(PATH, HTTP_ACCEPT=accept)
    missing = eve.get("/api/v1/workspaces/nowhere/metrics", HTTP_ACCEPT=accept)
    assert (foreign.status_code, foreign.content) == (404, missing.content)
    assert foreign["Content-Type"] == "application/problem+json"
    assert client_of().get(PATH, HTTP_ACCEPT=accept).status_code == 401
