"""Creating and changing dashboards: names, limits, revisions, and jobs that panels may name."""

import pytest

from tests.support.dashboard_documents import document_of, line_panel, number_panel
from tests.support.run_factories import job_of
from tests.support.users import create_user, workspace_of
from weir.dashboards.models import Dashboard
from weir.dashboards.services import dashboards as module
from weir.dashboards.services.dashboards import change_dashboard, create_dashboard, delete_dashboard
from weir.runs.services.deletion import delete_job
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_dashboard_is_stored_and_leaves_a_line(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    made = create_dashboard(workspace, owner, "  Trading   floor ", document_of(line_panel(job.pk)))
    assert (made.name, made.revision) == ("Trading floor", 1)
    assert made.document["panels"][0]["filters"] == []
    assert Event.objects.get(kind="dashboard").text == "Dashboard Trading floor created"


def test_names_are_unique_in_a_workspace(workspace: Workspace, owner: User) -> None:
    create_dashboard(workspace, owner, "floor", {})
    with pytest.raises(ConflictError, match="taken"):
        create_dashboard(workspace, owner, "floor", {})
    other = create_dashboard(workspace, owner, "other", {})
    with pytest.raises(ConflictError, match="taken"):
        change_dashboard(other, owner, "floor", {}, 1)
    with pytest.raises(ServiceError, match="Enter a name"):
        create_dashboard(workspace, owner, "  ", {})
    assert create_dashboard(workspace_of(create_user("eve"), "labs"), owner, "floor", {})


def test_a_workspace_has_so_many(workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DASHBOARDS", 1)
    create_dashboard(workspace, owner, "one", {})
    with pytest.raises(ServiceError) as caught:
        create_dashboard(workspace, owner, "two", {})
    assert caught.value.code == "DASHBOARD_LIMIT"


def test_only_who_saw_the_newest_revision_may_change_it(workspace: Workspace, owner: User) -> None:
    made = create_dashboard(workspace, owner, "floor", {})
    assert change_dashboard(made, owner, "floor", document_of(window="5m"), 1).revision == 2
    with pytest.raises(ConflictError) as caught:
        change_dashboard(made, owner, "floor", {}, 1)
    assert caught.value.code == "REVISION_OUTDATED"
    assert Dashboard.objects.get().document["window"] == "5m"


@pytest.mark.parametrize("whose", ["nobody's", "another workspace's", "deleted"])
def test_a_panel_names_a_job_of_its_workspace(workspace: Workspace, owner: User, whose: str) -> None:
    job_id = "000000000000"
    if whose == "another workspace's":
        eve = create_user("eve")
        job_id = job_of(workspace_of(eve, "labs"), eve).pk
    elif whose == "deleted":
        job = job_of(workspace, owner)
        delete_job(job, owner)
        job_id = job.pk
    with pytest.raises(ServiceError) as caught:
        create_dashboard(workspace, owner, "floor", document_of(number_panel(job_id)))
    (problem,) = caught.value.problems
    assert problem.path == ("panels", "0", "job")
    assert problem.message == f"Job {job_id} not found."


def test_a_panel_names_the_live_output_and_its_fields(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    panel = line_panel(
        job.pk, output="late", y=["low", "high"], filters=[{"field": "venue", "values": ["x"]}]
    )
    with pytest.raises(ServiceError) as caught:
        create_dashboard(workspace, owner, "floor", document_of(panel))
    found = {problem.path[2:]: problem.hint for problem in caught.value.problems}
    assert set(found) == {("output",), ("y", "1"), ("filters", "0", "field")}
    assert found["output",] == "Use 'live'."
    assert "symbol" in found["y", "1"]


def test_a_deleted_job_does_not_prevent_other_changes(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    made = create_dashboard(workspace, owner, "floor", document_of(number_panel(job.pk)))
    delete_job(job, owner)
    moved = number_panel(job.pk, position={"x": 5, "y": 0, "w": 3, "h": 4}, title="Gone")
    assert change_dashboard(made, owner, "floor", document_of(moved), 1).revision == 2
    with pytest.raises(ServiceError, match="not found"):
        change_dashboard(made, owner, "floor", document_of(number_panel(job.pk, value="low")), 2)


def test_deleting_leaves_a_line(workspace: Workspace, owner: User) -> None:
    delete_dashboard(create_dashboard(workspace, owner, "floor", {}), owner)
    assert not Dashboard.objects.exists()
    assert Event.objects.filter(text="Dashboard floor deleted").exists()


def test_a_dashboard_that_cannot_be_read_can_be_replaced(workspace: Workspace, owner: User) -> None:
    """An older version of Weir has saved it."""
    made = create_dashboard(workspace, owner, "floor", {})
    Dashboard.objects.update(document={"format": 1, "panels": [{"kind": "gone"}]})
    made.refresh_from_db()
    assert change_dashboard(made, owner, "floor", document_of(window="5m"), 1).revision == 2
