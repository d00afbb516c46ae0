"""After a crash the jobs that people look at start first."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import end
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, Generation, Job
from weir.runs.services.standby import ensure_standby
from weir.runs.services.viewing import note_viewed
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def test_runs_of_a_dead_engine_are_published_in_the_order_in_which_people_look_at_them(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: object,
) -> None:
    settings.STANDBY = True
    published: dict[str, int] = {}

    def keep(_topic: str, values: dict[str, bytes]) -> None:
        for value in values.values():
            message = json.loads(value)
            published[message["job_name"]] = message["precedence"]

    monkeypatch.setattr("weir.runs.services.run_publisher.publish", keep)
    names = ("never", "validates", "yesterday", "now", "an-hour-ago")
    jobs = {
        name: job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}")) for name in names
    }
    for job in jobs.values():
        running(job)
    present = timezone.now()
    for name, ago in (("yesterday", timedelta(days=1)), ("an-hour-ago", timedelta(hours=1))):
        Job.objects.filter(name=name).update(viewed_at=present - ago)
    Job.objects.filter(name="validates").update(kind="validator", viewed_at=present)
    Generation.objects.filter(job__name="validates").update(result_topic_id="of its dead letters")
    note_viewed({jobs["now"].id})
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]  # a pytest-django fixture
        end("shared-1")
    assert list(published) == ["now", "an-hour-ago", "yesterday", "never", "validates"]
    assert list(published.values()) == [0, 61, 1_441, 1_000_000, 1_000_001]


def test_while_nobody_looks_nothing_is_written(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        note_viewed(set())
