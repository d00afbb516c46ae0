"""Rules are checked with places, before they are saved."""

from typing import Any

import pytest

from tests.support.alerting import metric_rule, row_rule
from tests.support.run_factories import job_of
from weir.alerts.services.rules import checked_rule
from weir.runs.models import Job
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


def problems(workspace: Workspace, document: Any) -> list[tuple[tuple[str, ...], str]]:
    with pytest.raises(ServiceError) as caught:
        checked_rule(workspace, document)
    assert caught.value.code == "RULE_INVALID"
    return [(one.path, one.code) for one in caught.value.problems]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({}, ("watch",)),
        ([], ()),
        ({"watch": {"kind": "nothing"}}, ("watch", "kind")),
        (metric_rule("job.nothing", above=1), ("watch", "metric")),
        (metric_rule("job.lag_seconds"), ("watch", "above")),
        (metric_rule("job.lag_seconds", above=1, below=2), ("watch", "above")),
        (metric_rule("job.lag_seconds", above=1, hold="soon"), ("hold",)),
        (metric_rule("job.lag_seconds", above=1, hold="8d"), ("hold",)),
        (metric_rule("job.lag_seconds", above=1, hold="-1s"), ("hold",)),
        (metric_rule("job.lag_seconds", above=float("nan")), ("watch", "above")),
        (metric_rule("job.lag_seconds", above=1, severity="urgent"), ("severity",)),
        (metric_rule("job.lag_seconds", above=1, colour="red"), ("colour",)),
        (metric_rule("job.lag_seconds", above=1, channels=["nothing"]), ("channels", "0")),
        (metric_rule("job.lag_seconds", above=1, job="nothing"), ("watch", "job")),
        (
            {"watch": {"kind": "metric", "metric": "job.lag_seconds", "above": 1, "recovers_at": 2}},
            ("watch", "recovers_at"),
        ),
    ],
)
def test_each_mistake_has_its_place(workspace: Workspace, document: Any, path: tuple[str, ...]) -> None:
    assert [place for place, _ in problems(workspace, document)] == [path]


@pytest.mark.parametrize("where", ["nothing > 1", "low >", "low + 1", "symbol > 1", "rand() > 0.5"])
def test_a_condition_is_of_the_job_language(workspace: Workspace, job: Job, where: str) -> None:
    assert {path for path, _ in problems(workspace, row_rule(job, where))} == {("watch", "where")}


def test_fields_that_tell_alerts_apart_exist(workspace: Workspace, job: Job) -> None:
    assert problems(workspace, row_rule(job, by=["symbol", "gone"])) == [
        (("watch", "by", "1"), "FIELD_UNKNOWN")
    ]


def test_a_metric_that_is_not_measured_by_job_takes_none(workspace: Workspace, job: Job) -> None:
    document = metric_rule("cluster.unreachable", above=0, job=job.pk)
    assert problems(workspace, document) == [(("watch", "job"), "PARAMETER_RANGE")]


def test_what_it_takes(workspace: Workspace, job: Job) -> None:
    for document in (
        row_rule(job, "low < 5 and n >= 1", quiet="5m"),
        metric_rule("job.lag_seconds", above=60, job=job.pk),
    ):
        assert checked_rule(workspace, checked_rule(workspace, document).as_json())
