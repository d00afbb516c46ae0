"""The route of a job's log: pages, filters, other people's runs, and why there is nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.kafka_messages import LogLevel, LogLine, LogReport
from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of, create_user, member, workspace_of
from weir.retention import LOG_LINE_RETENTION
from weir.run_logs.services import store
from weir.runs.models import Desired, Execution, Job, Run
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])

AT_US = 1_767_261_600_000_000
LEVELS: tuple[LogLevel, ...] = ("info", "warning", "error")


def log_of(run: Run, texts: list[str], incarnation: str = "i") -> None:
    lines = tuple(
        LogLine(
            number=number,
            at_us=AT_US + number // 2,  # two at each instant
            level=LEVELS[number % 3],
            origin="spark" if number % 2 else "engine",
            logger="jobs.engine",
            message=text,
            detail="java.lang.Boom" if number % 3 == 2 else "",
        )
        for number, text in enumerate(texts)
    )
    store.apply_report(
        LogReport(
            at_us=AT_US, engine_id="shared-1", incarnation=incarnation, run_id=run.pk, epoch=2, lines=lines
        )
    )


def get(user: User, workspace: Workspace, job: Job, status: int = 200, **query: Any) -> Any:
    answer = client_of(user).get(f"/api/v1/workspaces/{workspace.slug}/jobs/{job.pk}/logs", query)
    assert answer.status_code == status, answer.content
    return answer.json()


def messages(body: Any) -> list[str]:
    return [line["message"] for line in body["lines"]]


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


@pytest.mark.every_database
def test_pages_have_each_line_once_newest_first(owner: User, workspace: Workspace, run: Run) -> None:
    job = run.generation.job
    log_of(run, [f"line {number}" for number in range(7)])
    found, cursor = [], None
    for _ in range(4):
        body = get(owner, workspace, job, limit=2, **({"cursor": cursor} if cursor else {}))
        found += messages(body)
        cursor = body["cursor"]
    assert found == [f"line {number}" for number in reversed(range(7))]
    assert cursor is None
    newest = body | {"lines": []}
    assert newest["run"] == run.pk
    assert [each["id"] for each in newest["runs"]] == [run.pk]
    first = get(owner, workspace, job)["lines"][0]
    assert first == {
        "id": "i-6",
        "at": "2026-01-01T10:00:00.000003Z",
        "level": "info",
        "origin": "engine",
        "logger": "jobs.engine",
        "message": "line 6",
        "detail": "",
        "epoch": 2,
        "engine": "shared-1",
    }


@pytest.mark.every_database
def test_lines_are_filtered(owner: User, workspace: Workspace, run: Run) -> None:
    job = run.generation.job
    log_of(run, ["alpha", "Beta 100%", "gamma_1", "delta", "epsilon", "zeta"])
    assert messages(get(owner, workspace, job, level="warning")) == [
        "zeta",
        "epsilon",
        "gamma_1",
        "Beta 100%",
    ]
    assert messages(get(owner, workspace, job, level="error")) == ["zeta", "gamma_1"]
    assert messages(get(owner, workspace, job, q="bEtA")) == ["Beta 100%"]
    assert messages(get(owner, workspace, job, q="0%")) == ["Beta 100%"]
    assert messages(get(owner, workspace, job, q="a_1")) == ["gamma_1"]
    assert messages(get(owner, workspace, job, q="lang.boom")) == ["zeta", "gamma_1"]
    at = "2026-01-01T10:00:00.000001Z"
    assert messages(get(owner, workspace, job, since=at)) == ["zeta", "epsilon", "delta", "gamma_1"]
    assert messages(get(owner, workspace, job, until=at)) == ["Beta 100%", "alpha"]
    assert get(owner, workspace, job, q="nothing has it")["empty"] == "no_match"
    assert get(owner, workspace, job, q="alpha")["empty"] is None


@pytest.mark.parametrize("query", [{"cursor": "x"}, {"cursor": "1.x"}])
def test_a_foreign_cursor_is_refused(
    owner: User, workspace: Workspace, run: Run, query: dict[str, str]
) -> None:
    assert get(owner, workspace, run.generation.job, 422, **query)["code"] == "CURSOR_INVALID"


@pytest.mark.parametrize(
    "query", [{"level": "debug"}, {"limit": 0}, {"limit": 501}, {"q": "x" * 201}, {"since": "yesterday"}]
)
def test_a_bad_query_is_refused(owner: User, workspace: Workspace, run: Run, query: dict[str, Any]) -> None:
    get(owner, workspace, run.generation.job, 400, **query)


def test_nobody_sees_lines_of_another_workspace(owner: User, workspace: Workspace, run: Run) -> None:
    others = workspace_of(create_user("olga"), "others")
    viewer = member(others, "victor", Role.VIEWER)
    theirs = running(job_of(others, others.memberships.get(role=Role.OWNER).user))
    log_of(run, ["of the first"])
    log_of(theirs, ["of the second"], "k")
    mine, other = run.generation.job, theirs.generation.job
    assert messages(get(owner, workspace, mine)) == ["of the first"]
    assert messages(get(viewer, others, other)) == ["of the second"]
    missing = get(viewer, others, other, 404, run="none.1")
    assert get(viewer, others, other, 404, run=run.pk) == missing  # a run of another workspace
    get(viewer, others, mine, 404)
    get(viewer, workspace, mine, 404)
    another = job_of(workspace, owner, _named("second"))
    get(owner, workspace, another, 404, run=run.pk)  # a run of another job


def _named(name: str) -> str:
    return DOCUMENT.replace("name: stats", f"name: {name}")


def test_an_empty_log_says_why(owner: User, workspace: Workspace, run: Run) -> None:
    job = run.generation.job
    fresh = job_of(workspace, owner, _named("fresh"))
    body = get(owner, workspace, fresh)
    assert (body["empty"], body["run"], body["runs"]) == ("never_started", None, [])
    Run.objects.update(last_seen_at=None, start_phases={})
    assert get(owner, workspace, job)["empty"] == "not_taken_up"
    Run.objects.update(last_seen_at=timezone.now())
    assert get(owner, workspace, job)["empty"] == "older_engine"
    ended = timezone.now() - LOG_LINE_RETENTION - timedelta(hours=1)
    Execution.objects.update(started_at=ended)  # and goes on in silence
    assert get(owner, workspace, job)["empty"] == "expired"
    Execution.objects.update(started_at=timezone.now())
    Run.objects.update(desired=Desired.STOPPED, observed_since=ended)
    assert get(owner, workspace, job)["empty"] == "expired"
