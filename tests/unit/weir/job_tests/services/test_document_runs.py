"""Tests of documents that no job has: over streams that come with them, or the registered ones."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayResult
from tests.support.job_test_documents import counted
from tests.support.run_factories import CONTRACT, DOCUMENT, trades
from tests.support.users import client_of, create_user, member, workspace_of
from weir.job_tests.models import JobTestRun
from weir.job_tests.services import play_engine, play_process, player
from weir.job_tests.services.runs import KEPT_RUNS, request_document
from weir.job_tests.services.spool import Spool
from weir.runs.models import Job
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
PATH = "/api/v1/workspaces/ops/documents/"
BODY = {"document": DOCUMENT, "streams": {"trades": CONTRACT}, "test": counted()}


@pytest.fixture(autouse=True)
def _here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR, settings.HOST_QUEUE = tmp_path, "engines.here"
    monkeypatch.setattr(player, "SLICE_S", 0.0)
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 600.0)
    monkeypatch.setattr(play_engine, "ask", lambda run, seconds: False)
    handle = ProcessHandle(host="here", pid=1, started_ticks=1, boot_id="x")
    monkeypatch.setattr(play_process, "start", lambda spool, seconds: handle)
    monkeypatch.setattr(play_process, "lives", lambda handle: True)
    monkeypatch.setattr(play_process, "kill", lambda handle: None)


@pytest.fixture
def ann(owner: User, workspace: Workspace) -> Client:
    return client_of(owner)


def post(client: Client, path: str, body: Any, status: int) -> Any:
    answer = client.post(PATH + path, body, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_nothing_has_to_be_registered(ann: Client) -> None:
    assert post(ann, "check", {"document": DOCUMENT}, 200)["problems"]
    checked = post(ann, "check", {"document": DOCUMENT, "streams": BODY["streams"]}, 200)
    assert checked["problems"] == []
    assert [node["name"] for node in checked["nodes"]] == ["trades", "stats"]
    run = post(ann, "test-runs", BODY, 202)
    assert (run["state"], run["version"], run["total"]) == ("queued", None, 1)
    assert Job.objects.count() == 0


def test_what_came_is_told_by_batch(ann: Client) -> None:
    run = post(ann, "test-runs", BODY, 202)
    player.play_slice(run["id"])
    row = PlayedRow(
        key='["2026-01-01T09:59:57.000000Z","2026-01-01T10:00:02.000000Z","A"]',
        value={"window_start": "2026-01-01T10:00:01.000000Z", "symbol": "A", "n": 1, "low": 2.5},
    )
    late = PlayedBatch(outputs={"live": PlayedRows(rows=1, first=(row,))}, late=2)
    Spool(run["id"]).plays.write_result(0, PlayResult(batches=(late,)))
    player.play_slice(run["id"])
    found = ann.get(f"{PATH}test-runs/{run['id']}").json()
    assert (found["state"], found["outcome"]["result"]["status"]) == ("finished", "passed")
    (batch,) = found["outcome"]["batches"]
    assert (batch["late"], batch["outputs"][0]["name"], batch["outputs"][0]["more"]) == (2, "live", 0)
    assert batch["outputs"][0]["rows"][0]["n"] == 1


def test_without_streams_it_reads_the_registered_ones(ann: Client, workspace: Workspace) -> None:
    trades(workspace)
    post(ann, "test-runs", {"document": DOCUMENT, "test": counted()}, 202)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"document": DOCUMENT.replace("min(price)", "min(prize)")}, "DOCUMENT_INVALID"),
        ({"test": "{format: 1, name: x, batches: [{records: {other: [{values: {}}]}}]}"}, "TEST_INVALID"),
        ({"streams": {"trades": {"fields": []}}}, "CONTRACT_INVALID"),
        ({"streams": {}}, "DOCUMENT_INVALID"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_problems(ann: Client, change: Any, code: str) -> None:
    answer = post(ann, "test-runs", {**BODY, **change}, 422)
    assert (answer["code"], bool(answer["problems"])) == (code, True)
    assert not JobTestRun.objects.exists()


def test_the_number_of_streams_is_bounded(ann: Client) -> None:
    post(ann, "check", {"document": DOCUMENT, "streams": {f"s{at}": CONTRACT for at in range(21)}}, 400)


def test_a_test_is_checked_while_it_is_written(ann: Client, workspace: Workspace) -> None:
    vic = client_of(member(workspace, "vic", Role.VIEWER))
    assert post(vic, "test-check", BODY, 200) == {"problems": []}
    wrong = post(vic, "test-check", {**BODY, "test": counted().replace("live:", "dead:")}, 200)
    assert [found["path"] for found in wrong["problems"]] == [["expect", "outputs", "dead"]]


def test_a_person_has_one_run_at_a_time_and_old_ones_go(owner: User, workspace: Workspace) -> None:
    first = request_document(workspace, owner, **_asked())
    second = request_document(workspace, owner, **_asked())
    first.refresh_from_db()
    assert (first.cancel_requested, second.cancel_requested) == (True, False)
    JobTestRun.objects.update(state=JobTestRun.State.FINISHED)
    for _ in range(KEPT_RUNS):
        JobTestRun.objects.filter(state=JobTestRun.State.QUEUED).update(state=JobTestRun.State.FINISHED)
        request_document(workspace, owner, **_asked())
    assert JobTestRun.objects.count() == KEPT_RUNS


def test_another_workspace_has_no_such_run(ann: Client) -> None:
    run = post(ann, "test-runs", BODY, 202)
    eve = create_user("eve")
    workspace_of(eve, "labs")
    answer = client_of(eve).get(f"/api/v1/workspaces/labs/documents/test-runs/{run['id']}")
    assert answer.status_code == 404
    canceled = ann.delete(f"{PATH}test-runs/{run['id']}")
    assert (canceled.status_code, canceled.json()["canceling"]) == (202, True)


def _asked() -> dict[str, Any]:
    return {"document": DOCUMENT, "streams": {"trades": CONTRACT}, "text": counted()}
