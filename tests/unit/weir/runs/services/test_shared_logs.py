"""An engine that several workspaces share ended: nobody is shown what its log holds of the jobs of others."""

import json

import pytest

from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import HANDLE, job_of, running
from tests.support.users import client_of, create_user, member, workspace_of
from weir.runs.models import Engine, Execution, Run
from weir.runs.services import processes
from weir.runs.services.engine_logs import engine_log
from weir.runs.services.engines import reconcile_engine
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])

PLANTED = "SELECT salary FROM payroll"


def end(run: Run) -> Engine:
    """The run's engine is seen dead; its log ends with what it did for a job."""
    engine = run.engine
    assert engine is not None
    log = engine_log(engine.id)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"ERROR {PLANTED}\n")
    Engine.objects.filter(pk=engine.pk).update(
        handle=HANDLE.model_copy(update={"host": _here()}).model_dump(), state=Engine.State.READY
    )
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert engine.failure is not None
    return engine


def _here() -> str:
    return processes.handle_of(1).host


def seen_by(user: User, workspace: Workspace, run: Run) -> str:
    """Every answer that tells of runs and engines."""
    job = run.generation.job_id
    paths = ("overview", "engines", "jobs", f"jobs/{job}", f"jobs/{job}/runs", f"jobs/{job}/versions")
    answers = [client_of(user).get(f"/api/v1/workspaces/{workspace.slug}/{path}") for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    return "".join(answer.content.decode() for answer in answers)


@pytest.mark.parametrize("crashes", [1, 2, 5])
def test_the_log_of_a_shared_engine_stays_with_its_operators(
    owner: User, workspace: Workspace, started: list[ProcessHandle], crashes: int
) -> None:
    others = workspace_of(create_user("olga"), "others")
    viewer = member(others, "victor", Role.VIEWER)
    mine = running(job_of(workspace, owner))
    theirs = running(job_of(others, others.memberships.get(role=Role.OWNER).user))
    assert mine.engine_id == theirs.engine_id
    for _ in range(crashes):
        mine.refresh_from_db()
        if mine.engine_id is not None:
            end(mine)
    for user, space, run in ((owner, workspace, mine), (viewer, others, theirs)):
        assert PLANTED not in seen_by(user, space, run)
    rows = [*Run.objects.values_list("failure", flat=True), *Engine.objects.values_list("failure", flat=True)]
    rows += Execution.objects.values_list("failure", flat=True)
    assert PLANTED not in json.dumps(rows)  # what live frames are made from, too


def test_the_log_of_an_engine_of_one_job_is_shown_with_it(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    run = running(job_of(workspace, owner), kind="dedicated")
    assert PLANTED in (end(run).failure or {})["raw"]
    assert PLANTED in seen_by(owner, workspace, run)
