"""The routes of tests."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from tests.support.job_test_documents import counted
from tests.support.run_factories import job_of
from tests.support.users import client_of, member
from weir.job_tests.models import JobTestRun
from weir.runs.models import Job
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


class Routes:
    """The routes of one job."""

    def __init__(self, client: Client, job: Job) -> None:
        self._client, self._base = client, f"/api/v1/workspaces/{job.workspace.slug}/jobs/{job.pk}/"

    def __call__(self, method: str, path: str, data: Any = None, status: int = 200) -> Any:
        asked = getattr(self._client, method)
        answer = (
            asked(self._base + path)
            if data is None
            else asked(self._base + path, data, content_type="application/json")
        )
        assert answer.status_code == status, answer.content
        return (
            answer
            if answer.headers.get("Content-Type") == "application/xml"
            else (answer.content and answer.json())
        )


@pytest.fixture
def ask(job: Job, owner: User) -> Routes:
    return Routes(client_of(owner), job)


def test_a_test_is_written_read_changed_and_deleted(ask: Routes) -> None:
    made = ask("post", "tests", {"document": counted()}, 201)
    assert made["document"]["name"] == "one trade"
    (listed,) = ask("get", "tests")["results"]
    assert (listed["id"], listed["state"], listed["batches"]) == (made["id"], "not_run", 1)
    changed = ask("put", f"tests/{made['id']}", {"document": counted(n=2), "revision": 1})
    assert changed["revision"] == 2
    assert ask("get", f"tests/{made['id']}")["document_text"] == counted(n=2)
    ask("delete", f"tests/{made['id']}", status=204)
    assert ask("get", "tests")["results"] == []


def test_problems_have_places(ask: Routes) -> None:
    refused = ask("post", "tests", {"document": "{format: 1, batches: []}"}, 422)
    assert refused["code"] == "TEST_INVALID"
    assert {tuple(found["path"]) for found in refused["problems"]} == {("name",), ("batches",)}
    checked = ask("post", "test-check", {"document": counted().replace("symbol: A, n", "who: A, n")})
    assert [found["path"][-1] for found in checked["problems"]] == ["who"]
    assert len(ask("post", "test-check", {"document": "a: ["})["problems"]) == 1


def test_a_run_is_asked_for_watched_and_canceled(ask: Routes) -> None:
    assert ask("post", "test-runs", {}, 422)["code"] == "NO_TESTS"
    made = ask("post", "tests", {"document": counted()}, 201)
    run = ask("post", "test-runs", {"tests": [made["id"]]}, 202)
    assert (run["state"], run["done"], run["total"]) == ("queued", 0, 1)
    assert ask("get", "tests")["run"]["id"] == run["id"]
    assert ask("get", f"test-runs/{run['id']}")["canceling"] is False
    assert ask("delete", f"test-runs/{run['id']}", status=202)["canceling"] is True
    again = ask("post", "test-runs", {}, 202)
    assert again["id"] != run["id"]  # the one that is being canceled is no answer


def test_a_draft_is_run_without_being_kept(ask: Routes) -> None:
    run = ask("post", "test-drafts", {"document": counted()}, 202)
    assert (run["total"], run["outcome"]) == (1, None)
    assert ask("get", "tests")["run"] is None
    assert ask("post", "test-drafts", {"document": "{}"}, 422)["code"] == "TEST_INVALID"


def test_the_report_is_junit_xml(ask: Routes) -> None:
    ask("post", "tests", {"document": counted()}, 201)
    root = ET.fromstring(ask("get", "test-report").content)
    assert [case.attrib["name"] for case in root.iter("testcase")] == ["one trade"]
    assert len(list(root.iter("error"))) == 1


def test_a_start_says_why_it_is_refused(ask: Routes) -> None:
    ask("post", "tests", {"document": counted()}, 201)
    assert ask("post", "start", {"from": "now"}, 409)["code"] == "TESTS_PENDING"


def test_viewers_look_but_do_not_run(workspace: Workspace, job: Job, ask: Routes) -> None:
    ask("post", "tests", {"document": counted()}, 201)
    viewer = Routes(client_of(member(workspace, "vic", Role.VIEWER)), job)
    assert len(viewer("get", "tests")["results"]) == 1
    viewer("post", "test-check", {"document": counted()})
    viewer("post", "test-runs", {}, 403)
    viewer("post", "test-drafts", {"document": counted()}, 403)
    assert not JobTestRun.objects.exists()
