"""The list of jobs is light: no documents, and as many queries for fifty jobs as for one."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of
from weir.runs.models import Engine, Run
from weir.runs.services.run_measures import record_lag
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
JOBS = "/api/v1/workspaces/ops/jobs"
HEAVY = {"document_text", "result"}


def test_the_list_has_no_documents_and_the_job_has_its_own(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    Run.objects.filter(pk=run.pk).update(
        failure={"code": "X", "message": "It broke.", "raw": "planted trace", "permanent": True}
    )
    listed = client_of(owner).get(JOBS)
    (row,) = listed.json()["results"]
    detail = client_of(owner).get(f"{JOBS}/{job.pk}").json()
    assert detail.keys() - row.keys() == HEAVY | {"edited_in"}
    assert row["failure"] == {"code": "X", "message": "It broke.", "permanent": True}
    assert detail["failure"]["raw"] == "planted trace"
    assert {name: row[name] for name in row if name != "failure"} == {
        name: detail[name] for name in row if name != "failure"
    }


@pytest.mark.parametrize("path", [JOBS, "/api/v1/workspaces/ops/overview"])
def test_more_jobs_cost_no_more_queries_and_read_no_documents(
    owner: User, workspace: Workspace, path: str
) -> None:
    client = client_of(owner)
    counts = []
    for number in (1, 5):
        for at in range(number):
            job = job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: stats-{number}-{at}"))
            running(job)
        with CaptureQueriesContext(connection) as made:
            assert client.get(path).status_code == 200
        counts.append(len(made))
        texts = [
            query["sql"]
            for query in made
            if "document_text" in query["sql"] or '"runs_generation"."result"' in query["sql"]
        ]
        assert not texts
    assert counts[0] == counts[1]


def test_a_rate_that_was_not_measured_yet_is_unknown_and_not_0(owner: User, workspace: Workspace) -> None:
    client = client_of(owner)
    first, second = (
        running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: stats-{number}")))
        for number in (1, 2)
    )
    overview = "/api/v1/workspaces/ops/overview"

    def shown() -> tuple[list[float | None], float | None, int]:
        rates = [job["rows_per_second"] for job in client.get(JOBS).json()["results"]]
        body = client.get(overview).json()
        return sorted(rates, key=str), body["rows_per_second"], body["unmeasured_jobs"]

    assert shown() == ([None, None], None, 2)
    record_lag(first.pk, 0, 0.0, 12.5)
    assert shown() == ([12.5, None], 12.5, 1)
    record_lag(second.pk, 0, 0.0, 0.0)
    assert shown() == ([0.0, 12.5], 12.5, 0)
    silent = timezone.now() - timedelta(minutes=1)
    Run.objects.filter(pk=first.pk).update(last_seen_at=silent, observed_since=silent)
    assert shown()[0] == [0.0, None]  # nothing has been heard of the first one since
    Run.objects.update(observed="stopped")
    assert shown() == ([None, None], 0, 0)


def test_lags_that_are_not_known_are_counted_beside_the_greatest(owner: User, workspace: Workspace) -> None:
    client = client_of(owner)
    first, second = (
        running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: stats-{number}")))
        for number in (1, 2)
    )

    def shown() -> tuple[float | None, int]:
        body = client.get("/api/v1/workspaces/ops/overview").json()
        return body["max_lag_seconds"], body["unmeasured_lags"]

    assert shown() == (None, 2)
    record_lag(first.pk, 20, 1.5, 10.0)
    record_lag(second.pk, 9_000_000, None, 10.0)
    assert shown() == (1.5, 1)
    Run.objects.update(observed="stopped")
    assert shown() == (None, 0)


@pytest.mark.parametrize(("kind", "shown"), [(Engine.Kind.SHARED, False), (Engine.Kind.DEDICATED, True)])
def test_only_an_engine_of_the_workspace_tells_its_process(
    owner: User, workspace: Workspace, kind: str, shown: bool
) -> None:
    run = running(job_of(workspace, owner))
    Engine.objects.filter(pk=run.engine_id).update(kind=kind, handle={"host": "inner.example", "pid": 4711})
    (engine,) = client_of(owner).get("/api/v1/workspaces/ops/engines").json()["results"]
    assert (engine["host"], engine["pid"]) == (("inner.example", 4711) if shown else (None, None))
