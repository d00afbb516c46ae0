"""A broker that does not answer costs its numbers, not the pages."""

import time

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.support.run_factories import CONTRACT, job_of
from tests.support.users import client_of
from weir.clusters.models import Cluster
from weir.runs.services.reconciler import reconcile
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops/"


@pytest.fixture(autouse=True)
def _dead(settings: Settings) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS = "127.0.0.1:1"
    cache.clear()


def test_pages_answer_and_say_so(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    client = client_of(owner)
    began = time.monotonic()
    assert client.get(BASE + "streams").json()["error"]
    assert client.get(BASE + "jobs").status_code == 200
    assert client.get(BASE + "overview").status_code == 200
    for answer in (
        client.get(BASE + "clusters/home/topics"),
        client.get(BASE + "streams/trades/records"),
        client.post(f"{BASE}jobs/{job.id}/start", {"from": "now"}),
        client.post(BASE + "streams", {"name": "x", "topic": "x", "contract": CONTRACT}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "BROKER_UNREACHABLE")
        assert "127.0.0.1:1" in answer.json()["detail"]
    assert time.monotonic() - began < 12, "after the first wait the others are answered at once"


def test_the_reconciler_writes_it_down(owner: User, workspace: Workspace) -> None:
    reconcile()
    cluster = Cluster.objects.get()
    assert cluster.reachable is False
    assert cluster.error
    assert client_of(owner).get(BASE + "overview").json()["broker"]["reachable"] is False
