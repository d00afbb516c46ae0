"""Positions of a job's drawing: by name, bounded, and of no version."""

from typing import Any

import pytest
from django.test import Client

from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of, member
from weir.runs.models import Desired, Job, JobDrawing
from weir.runs.services import drawing
from weir.runs.services.drawing import move_nodes, positions_of
from weir.runs.services.versions import add_version
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
HERE, THERE = {"x": 1, "y": -2}, {"x": 300, "y": 40}
RENAMED = DOCUMENT.replace("  stats:\n", "  totals:\n").replace("input: stats", "input: totals")


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


def path(job: Job) -> str:
    return f"/api/v1/workspaces/ops/jobs/{job.pk}/drawing"


def patch(client: Client, job: Job, moves: Any, status: int = 200) -> Any:
    answer = client.patch(path(job), moves, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_each_move_is_of_its_nodes_alone(job: Job, owner: User, workspace: Workspace) -> None:
    ann, bob = client_of(owner), client_of(member(workspace, "bob", Role.EDITOR))
    assert ann.get(path(job)).json() == {"right": {}, "down": {}}
    patch(ann, job, {"right": {"trades": HERE, "stats": HERE}})
    assert patch(bob, job, {"right": {"stats": THERE}, "down": {"output:live": HERE}}) == {
        "right": {"trades": HERE, "stats": THERE},
        "down": {"output:live": HERE},
    }
    patch(ann, job, {"right": {"trades": None, "stats": HERE}})
    assert bob.get(path(job)).json() == {"right": {"stats": HERE}, "down": {"output:live": HERE}}
    assert patch(bob, job, {}) == {"right": {"stats": HERE}, "down": {"output:live": HERE}}


def test_nothing_else_changes_by_a_move(job: Job, owner: User) -> None:
    before, events = client_of(owner).get(path(job).removesuffix("/drawing")).json(), Event.objects.count()
    patch(client_of(owner), job, {"right": {"stats": HERE}})
    assert client_of(owner).get(path(job).removesuffix("/drawing")).json() == before
    assert Event.objects.count() == events


@pytest.mark.parametrize(
    "moves",
    [
        {"right": {"<b>": HERE}},
        {"right": {"output:": HERE}},
        {"right": {"a" * 64: HERE}},
        {"right": {"stats": {"x": 1}}},
        {"right": {"stats": {"x": 1.5, "y": 0}}},
        {"right": {"stats": {"x": 1_000_001, "y": 0}}},
        {"right": {f"n{at}": HERE for at in range(501)}},
        {"right": [HERE]},
        {"right": None},
    ],
)
def test_what_is_no_position_is_refused(job: Job, owner: User, moves: Any) -> None:
    patch(client_of(owner), job, moves, status=400)
    assert not JobDrawing.objects.exists()


def test_viewers_look_only(job: Job, workspace: Workspace) -> None:
    vic = client_of(member(workspace, "vic", Role.VIEWER))
    assert vic.get(path(job)).status_code == 200
    assert patch(vic, job, {"right": {"stats": HERE}}, status=403)["code"] == "NOT_ALLOWED"


def test_a_draft_gives_its_positions_to_the_job(job: Job, owner: User) -> None:
    made = client_of(owner).post(
        "/api/v1/workspaces/ops/jobs",
        {
            "document": DOCUMENT.replace("name: stats", "name: copy"),
            "drawing": {"right": {"stats": HERE, "trades": None, "gone": HERE}},
        },
        content_type="application/json",
    )
    assert made.status_code == 201, made.content
    assert positions_of(Job.objects.get(name="copy")) == {"right": {"stats": HERE}, "down": {}}


def test_a_renamed_step_keeps_its_place_and_a_deleted_one_leaves_none(job: Job, owner: User) -> None:
    move_nodes(job, {"right": {"stats": HERE, "trades": THERE}, "down": {"stats": THERE}})
    add_version(job, owner, RENAMED)
    assert positions_of(job) == {"right": {"totals": HERE, "trades": THERE}, "down": {"totals": THERE}}


def test_the_running_version_keeps_its_places(job: Job, owner: User) -> None:
    move_nodes(job, {"right": {"stats": HERE}})
    running(job)
    Job.objects.filter(pk=job.pk).update(generation=1, desired=Desired.RUNNING)
    job.refresh_from_db()
    add_version(job, owner, RENAMED)
    assert positions_of(job)["right"] == {"totals": HERE, "stats": HERE}


def test_a_place_that_the_drawing_gave_to_the_new_name_stays(job: Job, owner: User) -> None:
    move_nodes(job, {"right": {"stats": HERE, "totals": THERE}})
    add_version(job, owner, RENAMED)
    assert positions_of(job)["right"] == {"totals": THERE}


def test_what_no_version_has_is_forgotten_first(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_POSITIONS", 3)
    move_nodes(job, {"right": {"gone": HERE, "stats": HERE, "lost": HERE}})
    assert set(move_nodes(job, {"right": {"new": THERE}})["right"]) == {"stats", "new"}
