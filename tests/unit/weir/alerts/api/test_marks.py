"""What is marked on the charts of a job and of a consumer group."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.support.group_rows import stored_group, watched
from tests.support.run_factories import job_of, running
from tests.support.users import client_of, create_user
from weir.alerts.models import Alert, AlertRule
from weir.runs.models import Execution, Job, Run
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def execution(run: Run, epoch: int, version: int, ago: timedelta, reason: str = "", **more: Any) -> None:
    row, _ = Execution.objects.update_or_create(
        run=run, epoch=epoch, defaults={"version": version, "mode": "realtime", "end_reason": reason, **more}
    )
    Execution.objects.filter(pk=row.pk).update(started_at=timezone.now() - ago)


def alert(job: Job | None, workspace: Workspace, fired: datetime | None, **more: Any) -> Alert:
    rule = AlertRule.objects.filter(workspace=workspace)[0]
    at = fired or timezone.now()
    return Alert.objects.create(
        workspace=workspace,
        rule=rule,
        job=job,
        severity="warning",
        digest=str(at),
        title="Job stats",
        state="resolved" if "resolved_at" in more else "firing",
        since=at,
        fired_at=fired,
        last_met_at=at,
        **more,
    )


def marks(owner: User, path: str, **query: str) -> list[tuple[str, str]]:
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/{path}", query)
    assert answer.status_code == 200, answer.content
    return [(mark["kind"], mark["title"]) for mark in answer.json()["results"]]


def test_versions_starts_restarts_and_stops_of_a_range(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    minutes = [timedelta(minutes=ago) for ago in (90, 50, 40, 30, 20)]
    execution(
        run, 1, 1, minutes[0], "The engine ended.", state="failed", ended_at=timezone.now() - minutes[1]
    )
    execution(run, 2, 1, minutes[1], "Stopped.", state="stopped", ended_at=timezone.now() - minutes[2])
    execution(run, 3, 1, minutes[3], "Restarted with a newer version.", state="stopped")
    execution(run, 4, 2, minutes[4])
    path = f"jobs/{job.pk}/marks"
    expected = [
        ("restart", "The engine ended."),
        ("stop", "Stopped"),
        ("start", "Started, version 1"),
        ("deployment", "Version 2 started"),
    ]
    assert marks(owner, path) == expected
    assert marks(owner, path, minutes="600") == [("deployment", "Version 1 started"), *expected]
    assert marks(owner, path, until=(timezone.now() - timedelta(days=2)).isoformat()) == []


def test_alerts_that_fired_at_any_time_of_the_range(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    now = timezone.now()
    hours = [now - timedelta(hours=ago) for ago in (9, 8, 3)]
    alert(job, workspace, hours[0], resolved_at=hours[1])
    alert(job, workspace, hours[0] - timedelta(hours=1), resolved_at=now)
    still = alert(job, workspace, hours[2])
    alert(job, workspace, None)  # pending: nobody was told
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/jobs/{job.pk}/marks", {"minutes": 60}).json()
    found = [(mark["open"], mark["until"] is None, mark["severity"]) for mark in answer["results"]]
    assert found == [(False, False, "warning"), (True, True, "warning")]
    assert answer["results"][1]["alert"] == still.pk


def test_a_group_has_its_own_moves_and_alerts_and_no_others(workspace: Workspace, owner: User) -> None:
    watched()
    for name, cluster, action in (
        ("mine", "home", "changed"),
        ("mine", "home", "deleted"),
        ("mine", "another", "changed"),
        ("other", "home", "changed"),
    ):
        Event.objects.create(
            workspace=workspace,
            kind="consumer_group",
            subject=name,
            cluster=cluster,
            action=action,
            text=f"What was {action} of {name} on {cluster}",
        )
    stored_group("mine", {"t": 1})
    alert(None, workspace, timezone.now(), group={"cluster": "home", "group": "mine"})
    alert(None, workspace, timezone.now() - timedelta(1), group={"cluster": "home", "group": "other"})
    found = marks(owner, "consumer-group-marks/home/mine")
    assert sorted(kind for kind, _ in found) == ["alert", "offsets"]
    assert ("offsets", "What was changed of mine on home") in found


def test_strangers_see_no_marks(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    stranger = client_of(create_user("eve"))
    assert stranger.get(f"/api/v1/workspaces/ops/jobs/{job.pk}/marks").status_code == 404
