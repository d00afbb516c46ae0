"""A list asks the database as often for thirty rows as for three."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.alerting import channel
from tests.support.group_rows import stored_group, watched
from tests.support.run_factories import DOCUMENT, job_of, running, trades
from tests.support.users import client_of
from tests.support.validator_factories import create_dead_letter, create_validator
from weir.dashboards.models import Dashboard, ShareLink
from weir.dead_letters.models import Redrive, Validator
from weir.runs.models import Execution, Job, JobVersion
from weir.streams.api import stream_views
from weir.streams.models import StreamUse
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
Row = Callable[[Workspace, User, int], object]


def _stream(workspace: Workspace, _: User, number: int) -> None:
    stream = trades(workspace, name=f"s{number}", topic=f"t{number}")
    StreamUse.objects.create(stream=stream, job_id=f"j{number}", job_name=f"job {number}")


def _job(workspace: Workspace, owner: User, number: int) -> None:
    running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: j{number}")))


def _the_job(workspace: Workspace, owner: User) -> Job:
    return Job.objects.first() or job_of(workspace, owner)


def _version(workspace: Workspace, owner: User, number: int) -> None:
    job = _the_job(workspace, owner)
    first = JobVersion.objects.get(job=job, number=1)
    first.pk, first.number, first.created_by = None, number + 2, owner
    first.save(force_insert=True)


def _execution(workspace: Workspace, owner: User, number: int) -> None:
    run = Execution.objects.first()
    if run is None:
        running(_the_job(workspace, owner))
        run = Execution.objects.get()
    run.pk, run.epoch, run.started_at = None, number + 2, run.started_at + timedelta(seconds=number)
    run.save(force_insert=True)


def _dashboard(workspace: Workspace, owner: User, number: int) -> None:
    document = {"format": 1, "window": None, "filters": [], "panels": []}
    Dashboard.objects.create(
        id=f"d{number}", workspace=workspace, name=f"d{number}", document=document, changed_by=owner
    )


def _link(workspace: Workspace, owner: User, number: int) -> None:
    if not number:
        _dashboard(workspace, owner, 0)
    ShareLink.objects.create(
        dashboard_id="d0",
        digest=str(number),
        created_by=owner,
        expires_at=timezone.now() + timedelta(days=1),
    )


def _validator(workspace: Workspace) -> Validator:
    return Validator.objects.first() or create_validator(workspace)


def _dead_letter(workspace: Workspace, _: User, number: int) -> None:
    create_dead_letter(_validator(workspace), number, reason=f"REASON_{number % 3}")


def _redrive(workspace: Workspace, _: User, number: int) -> None:
    validator = _validator(workspace)
    Redrive.objects.create(validator=validator, target=validator.stream, created_by="ann", rate=1)


def _group(workspace: Workspace, _: User, number: int) -> None:
    watched()
    trades(workspace, name=f"s{number}", topic=f"t{number}")
    stored_group(f"g{number}", {f"t{number}": 5})


def _channel(workspace: Workspace, _: User, number: int) -> None:
    channel(workspace, f"c{number}")


LISTS: dict[str, Row] = {
    "streams": _stream,
    "jobs": _job,
    "overview": _job,
    "engines": _job,
    "dashboard-outputs": _job,
    "jobs/{job}/versions": _version,
    "jobs/{job}/runs": _execution,
    "dashboards": _dashboard,
    "dashboards/d0/links": _link,
    "streams/trades/dead-letters": _dead_letter,
    "streams/trades/dead-letters/groups": _dead_letter,
    "streams/trades/redrives": _redrive,
    "consumer-groups": _group,
    "alert-channels": _channel,
}


@pytest.mark.parametrize("path", LISTS)
def test_as_many_queries_for_thirty_rows_as_for_three(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(stream_views, "fetch_within", lambda _: ({}, {}))
    client, counts = client_of(owner), []
    for numbers in (range(3), range(3, 30)):
        for number in numbers:
            LISTS[path](workspace, owner, number)
        route = path.format(job=Job.objects.values_list("pk", flat=True).first())
        with (
            CaptureQueriesContext(connections["default"]) as control,
            CaptureQueriesContext(connections["results"]) as results,
        ):
            answer = client.get(f"/api/v1/workspaces/ops/{route}")
        assert answer.status_code == 200, answer.content
        counts.append(len(control) + len(results))
    body: Any = answer.json()
    assert body.get("results", body.get("jobs")), body
    assert counts[1] <= counts[0], f"3 rows took {counts[0]} queries, 30 took {counts[1]}"
