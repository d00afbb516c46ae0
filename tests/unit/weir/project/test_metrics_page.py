"""``/metrics``: numbers of the process for everybody, names for who has the installation's token."""

import pytest
from pytest_django import Settings

from tests.support.measured_jobs import measured_job
from tests.support.users import client_of
from weir.workspaces.models import User, Workspace
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture(autouse=True)
def _planted(workspace: Workspace, owner: User, settings: Settings) -> None:
    settings.METRICS_TOKEN = "the-installations-token"
    measured_job(workspace, owner, "planted")


def test_without_a_token_nothing_has_a_name() -> None:
    answer = client_of().get("/metrics")
    assert answer.status_code == 200
    assert b"weir_live_connections" in answer.content
    assert b"planted" not in answer.content
    assert b"weir_job" not in answer.content


def test_with_the_token_all_workspaces_are_there() -> None:
    answer = client_of().get("/metrics", HTTP_AUTHORIZATION="Bearer the-installations-token")
    assert answer.status_code == 200
    assert b"weir_live_connections" in answer.content
    assert b'weir_job_lag_records{job_name="planted",workspace="ops"} 20.0' in answer.content


@pytest.mark.parametrize(
    "given", ["Bearer wrong", "the-installations-token", "Bearer ", "Basic x", "Bearer ä"]
)
def test_a_wrong_token_is_refused(given: str) -> None:
    answer = client_of().get("/metrics", HTTP_AUTHORIZATION=given)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"weir_" not in answer.content


def test_a_persons_token_is_not_the_installations(owner: User) -> None:
    _, text = create_token(owner, "ci", None)
    assert client_of().get("/metrics", HTTP_AUTHORIZATION=f"Bearer {text}").status_code == 401


def test_it_is_only_read() -> None:
    assert client_of().post("/metrics").status_code == 405
