"""Objectives of single outputs: what flows into the output is counted, and nothing else of its job."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.document import JobDocument
from tests.support.run_factories import job_of, running
from tests.support.users import client_of
from weir.alerts.models import ObjectiveSlice
from weir.alerts.services.look import Look
from weir.alerts.services.output_shares import Upstream, upstream_of
from weir.lag.models import CurrentLag
from weir.measurements import read_snapshot
from weir.runs.models import JobVersion, Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
OBJECTIVES = "/api/v1/workspaces/ops/objectives"
DOCUMENT = {
    "format": 1,
    "name": "stats",
    "sources": {"trades": {"stream": "trades"}},
    "steps": {
        "stats": {
            "op": "aggregate",
            "input": "trades",
            "window": {"tumbling": {"size": "5s"}},
            "by": ["symbol"],
            "measures": {"n": "count()"},
            "late": "dead_letter",
        },
        "cheap": {"op": "filter", "input": "trades", "where": "price < 5"},
    },
    "outputs": {
        "live": {"input": "stats", "to": "result"},
        "cheap": {"input": "cheap", "to": {"topic": "cheap"}},
        "late": {"input": "stats.late", "to": {"topic": "late"}},
    },
}


@pytest.fixture
def run(workspace: Workspace, owner: User) -> Run:
    made = running(job_of(workspace, owner))
    JobVersion.objects.update(document=DOCUMENT)  # its topics are on no broker
    return made


def posted(owner: User, run: Run, **more: object) -> tuple[int, dict[str, object]]:
    body = {"job_id": run.generation.job_id, "kind": "completeness", "threshold": 0.1, "target": 0.99} | more
    answer = client_of(owner).post(OBJECTIVES, body)
    return answer.status_code, answer.json()


def test_an_objective_is_about_the_job_or_about_one_output(owner: User, run: Run) -> None:
    for output in ("", "live", "cheap"):
        status, made = posted(owner, run, output=output)
        assert (status, made["output"]) == (201, output)
    assert posted(owner, run, output="cheap")[0] == 409
    assert posted(owner, run, output="gone")[0] == 422
    assert posted(owner, run, kind="freshness", output="live")[0] == 422


def test_what_is_upstream_of_an_output(run: Run) -> None:
    document = JobDocument.model_validate(JobVersion.objects.get().document)
    assert upstream_of(document, "cheap") == Upstream(frozenset({"trades"}), frozenset({"cheap"}))
    assert upstream_of(document, "live") == Upstream(frozenset({"trades"}), frozenset({"stats"}))
    assert upstream_of(document, "late") == Upstream(frozenset({"trades"}), frozenset())
    assert upstream_of(document, "gone") is None


def test_late_rows_of_a_window_spoil_its_output_alone(owner: User, run: Run) -> None:
    for output in ("live", "cheap"):
        posted(owner, run, output=output)
    look, now = Look(), timezone.now()
    for at in range(40):
        counts = {
            "sources": {"trades": {"records": 100 * at, "malformed": at}},
            "steps": {"stats": {"late": 30 * at, "expression_nulls": 0}, "cheap": {"expression_nulls": at}},
        }
        CurrentLag.objects.using("results").update_or_create(
            job_id=run.generation.job_id,
            defaults={
                "at_us": instant_of(timezone.now()),
                "payload": {"run_id": run.pk, "counts": counts},
            },
        )
        moment = now + timedelta(seconds=10 * at)
        Run.objects.update(last_seen_at=moment)
        look.take(replace(read_snapshot(None), now=moment, reports_read_until=moment), [])
    slices = ObjectiveSlice.objects.values_list("objective__output").annotate(Sum("good_s"), Sum("judged_s"))
    (cheap, live) = sorted(slices)
    assert (live[0], live[1]) == ("live", 0)
    assert (cheap[0], cheap[1]) == ("cheap", live[2])
    assert live[2] > 30  # seconds that were judged; the share is known after five minutes


def test_a_version_that_cannot_be_read_keeps_no_other_metric_from_being_read(owner: User, run: Run) -> None:
    """An older version of Weir has saved it."""
    assert posted(owner, run, output="live")[0] == 201
    JobVersion.objects.update(document={"format": 1, "gone": True})
    CurrentLag.objects.using("results").create(
        job_id=run.generation.job_id, at_us=instant_of(timezone.now()), payload={"run_id": run.pk}
    )
    taken = Look().take(read_snapshot(None), [])
    assert set(taken.values["job.failed"].values()) == {0.0}
