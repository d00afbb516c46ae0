"""What several people edit: a change on an outdated revision is refused, and says so."""

from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient as Client

from tests.support.alerting import channel
from tests.support.run_factories import trades
from tests.support.users import client_of, member
from weir.alerts.models import Channel
from weir.clusters.models import Cluster
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
BASE = "/api/v1/workspaces/ops"
CLUSTER = {"name": "east", "bootstrap": "127.0.0.1:9", "security": "PLAINTEXT"}
RECEIVER = {"url": "http://127.0.0.1:9/", "namespace": "a"}


def _stream(client: Client) -> int:
    return int(client.get(f"{BASE}/streams/trades").json()["revision"])


def _save_stream(client: Client, revision: int | None) -> Any:
    return client.patch(
        f"{BASE}/streams/trades",
        {"description": f"of {revision}", "revision": revision},
        format="json",
    )


def _cluster(client: Client) -> int:
    return int(client.get(f"{BASE}/clusters/east").json()["revision"])


def _save_cluster(client: Client, revision: int | None) -> Any:
    body = {**CLUSTER, "revision": revision}
    return client.put(f"{BASE}/clusters/east", body, format="json")


def _receiver(client: Client) -> int:
    return int(client.get(f"{BASE}/openlineage").json()["receiver"]["revision"])


def _save_receiver(client: Client, revision: int | None) -> Any:
    body = {**RECEIVER, "enabled": False, "revision": revision}
    return client.put(f"{BASE}/openlineage", body, format="json")


def _channel(client: Client) -> int:
    (found,) = client.get(f"{BASE}/alert-channels").json()["results"]
    return int(found["revision"])


def _save_channel(client: Client, revision: int | None) -> Any:
    found = Channel.objects.get()
    body = {"name": found.name, "least_severity": "critical", "enabled": False, "revision": revision}
    return client.put(f"{BASE}/alert-channels/{found.pk}", body, format="json")


@pytest.fixture(params=["stream", "cluster", "receiver", "channel"])
def kind(request: pytest.FixtureRequest, workspace: Workspace, owner: User, settings: Settings) -> str:
    settings.PRIVATE_WEBHOOKS = settings.PRIVATE_CLUSTERS = True
    if request.param == "stream":
        trades(workspace)
    elif request.param == "cluster":
        Cluster.objects.create(id="east", workspace=workspace, name="east", bootstrap="127.0.0.1:9")
    elif request.param == "channel":
        channel(workspace)
    else:
        assert _save_receiver(client_of(owner), None).status_code == 200
    return str(request.param)


READ = {"stream": _stream, "cluster": _cluster, "receiver": _receiver, "channel": _channel}
SAVE = {
    "stream": _save_stream,
    "cluster": _save_cluster,
    "receiver": _save_receiver,
    "channel": _save_channel,
}


def test_who_saves_on_an_outdated_revision_is_told(workspace: Workspace, owner: User, kind: str) -> None:
    ann, bob = client_of(owner), client_of(member(workspace, "bob", Role.OWNER))
    seen = READ[kind](ann)
    assert SAVE[kind](bob, seen).status_code == 200
    late = SAVE[kind](ann, seen)
    assert (late.status_code, late.json()["code"]) == (409, "REVISION_OUTDATED")
    assert kind in late.json()["detail"]
    assert READ[kind](ann) == seen + 1
    assert SAVE[kind](ann, seen + 1).status_code == 200


def test_who_names_no_revision_changes_what_is_there(workspace: Workspace, owner: User, kind: str) -> None:
    ann = client_of(owner)
    seen = READ[kind](ann)
    assert SAVE[kind](ann, None).status_code == 200
    assert READ[kind](ann) == seen + 1
