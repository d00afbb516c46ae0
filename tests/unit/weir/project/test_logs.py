"""Each process says in its log which one it is, and what its lines are about."""

from types import SimpleNamespace

import pytest
from celery.signals import task_postrun, task_prerun
from structlog.contextvars import get_contextvars

from tests.support.users import client_of
from weir.project import celery  # noqa: F401 - connects the signals
from weir.project.logs import process_name
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import User, Workspace


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["/v/site-packages/uvicorn/__main__.py", "weir.project.asgi:application"], "web"),
        (["/v/site-packages/gunicorn/__main__.py", "-c", "python:weir.project.web_server"], "web"),
        (["/v/bin/gunicorn", "-c", "python:weir.project.web_server"], "web"),
        (["/v/site-packages/celery/__main__.py", "-A", "weir.project.celery", "worker", "-Q", "a"], "worker"),
        (["/v/bin/celery", "-A", "weir.project.beat", "beat"], "beat"),
        (["manage.py", "relay"], "relay"),
        (["/v/site-packages/django/__main__.py", "relay"], "relay"),
        (["manage.py"], "manage"),
        (["-c"], "-c"),
        ([], ""),
    ],
)
def test_the_process_is_read_from_its_command_line(arguments: list[str], name: str) -> None:
    assert process_name(arguments) == name


def test_lines_of_a_task_say_which_task_and_what_it_is_about() -> None:
    task = SimpleNamespace(name="weir.runs.tasks.start_run", run=lambda run_id, note="": None)
    task_prerun.send(task.name, task=task, args=["a.1"], kwargs={})
    try:
        assert get_contextvars() == {"task": "weir.runs.tasks.start_run", "run": "a.1"}
    finally:
        task_postrun.send(task.name, task=task)
    assert get_contextvars() == {}


@pytest.mark.django_db
def test_lines_of_a_request_say_whose_workspace_and_which_job(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, str] = {}

    def note(*_: object) -> None:
        seen.update(get_contextvars())
        raise NotFoundError("NOT_FOUND", "Job not found.")

    monkeypatch.setattr("weir.run_logs.api.views.get_job", note)
    client_of(owner).get(f"/api/v1/workspaces/{workspace.slug}/jobs/a1/logs")
    assert seen == {"workspace": workspace.slug, "job": "a1"}
    assert "workspace" not in get_contextvars()
