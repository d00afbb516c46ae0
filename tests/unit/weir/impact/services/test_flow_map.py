"""The map of a workspace."""

from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from tests.support.measured_jobs import measured_job
from tests.support.run_factories import DOCUMENT, job_of, trades
from tests.support.users import create_user, workspace_of
from weir.impact.services.flow_map import flow_map
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
WRITING = DOCUMENT.replace(
    "live: {input: stats, to: result}",
    "live: {input: stats, to: result}\n  kept: {input: stats, to: {topic: means}}",
)


def by_id(found: dict[str, Any]) -> dict[str, Any]:
    return {node["id"]: node for node in found["nodes"]}


def wires(found: dict[str, Any]) -> set[tuple[str, str]]:
    return {(edge["from"], edge["to"]) for edge in found["edges"]}


def test_rows_flow_from_topic_to_topic(workspace: Workspace, owner: User) -> None:
    trades(workspace, name="means", topic="means-v1")
    job = job_of(workspace, owner, WRITING)
    found = flow_map(workspace)
    assert set(by_id(found)) == {"stream:trades", "stream:means", f"job:{job.pk}"}
    assert wires(found) == {("stream:trades", f"job:{job.pk}"), (f"job:{job.pk}", "stream:means")}
    assert by_id(found)["stream:means"]["topic"] == "means-v1"
    assert by_id(found)[f"job:{job.pk}"]["job"]["observed"] == "never_started"
    assert all(edge["rows_per_second"] is None for edge in found["edges"])


def test_a_topic_under_two_names_is_reached_under_both(workspace: Workspace, owner: User) -> None:
    trades(workspace, name="means", topic="means-v1")
    trades(workspace, name="again", topic="means-v1")
    job = job_of(workspace, owner, WRITING)
    outgoing = {end for start, end in wires(flow_map(workspace)) if start == f"job:{job.pk}"}
    assert outgoing == {"stream:means", "stream:again"}


def test_what_a_job_names_and_nobody_has_is_missing(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    workspace.streams.all().delete()
    found = flow_map(workspace)
    assert by_id(found)["stream:trades"]["kind"] == "missing"
    assert wires(found) == {("stream:trades", f"job:{job.pk}")}


def test_a_running_job_tells_rates_lag_and_state(workspace: Workspace, owner: User) -> None:
    run = measured_job(
        workspace, owner, given={"trades": 100, "stats": 20}, state_rows=7, state_bytes=70, duration_ms=10_000
    )
    found = flow_map(workspace)
    (edge,) = found["edges"]
    assert (edge["rows_per_second"], edge["lag_records"]) == (10.0, 20)
    assert by_id(found)[f"job:{run.generation.job_id}"]["job"]["state_rows"] == 7


def test_old_measurements_are_unknown(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner, age_us=60_000_000, given={"trades": 100}, duration_ms=10_000)
    (edge,) = flow_map(workspace)["edges"]
    assert (edge["rows_per_second"], edge["lag_records"]) == (None, None)


def test_another_workspace_is_not_on_it(workspace: Workspace, owner: User) -> None:
    job_of(workspace, owner)
    assert flow_map(workspace_of(create_user("else"), "elsewhere")) == {
        "nodes": [],
        "edges": [],
        "jobs_left_out": False,
    }


def test_queries_do_not_grow_with_jobs(workspace: Workspace, owner: User) -> None:
    def count() -> int:
        control, results = (CaptureQueriesContext(connections[alias]) for alias in ("default", "results"))
        with control, results:
            flow_map(workspace)
        return len(control) + len(results)

    measured_job(workspace, owner, "first")
    one = count()
    for number in range(4):
        measured_job(workspace, owner, f"more-{number}")
        trades(workspace, name=f"s{number}", topic=f"t{number}")
    assert count() == one <= 8
