"""A connection with a link's ticket: which channels it opens, what it is told, and when it ends."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.dashboard_documents import document_of, number_panel
from tests.support.live_client import LiveClient
from tests.support.run_factories import job_of, running
from tests.support.users import create_user, workspace_of
from weir.dashboards.models import Dashboard, ShareLink
from weir.dashboards.services.dashboards import change_dashboard, create_dashboard, delete_dashboard
from weir.dashboards.services.share_links import create_link, create_share_ticket, revoke_link
from weir.dashboards.services.shared_outputs import SharedOutputs, shared_outputs
from weir.live import consumer as module
from weir.live import rights as rights_module
from weir.live import rights_monitor
from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.lookups import view_of
from weir.live.result_subscription import ResultSubscription
from weir.live.results_channel import ResultsChannel
from weir.live.rights import Need, Standing, read_rights
from weir.live.rights_monitor import RightsMonitor
from weir.live.run_registry import RunRegistry
from weir.runs.models import Job, Run
from weir.runs.services.deletion import delete_job
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Right
from weir.workspaces.services.turns import Turns

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


@pytest.fixture
def dashboard(workspace: Workspace, owner: User, job: Job) -> Dashboard:
    return create_dashboard(workspace, owner, "floor", document_of(number_panel(job.pk)))


@pytest.fixture
def link(dashboard: Dashboard, owner: User) -> ShareLink:
    return create_link(dashboard, owner, "", 7)[0]


@pytest.fixture
async def subscribed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[ResultSubscription]]:
    """The subscriptions that reach the results channel of a hub without a broker."""
    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.05)
    found: list[ResultSubscription] = []
    hub = SimpleNamespace(
        pool=BlockingPool(1),
        admissions=Turns(1),
        connections=set(),
        rights=RightsMonitor(),
        results=SimpleNamespace(subscribe=lambda _connection, one, _cursor: found.append(one)),
    )
    monkeypatch.setattr(module, "hub", lambda: hub)
    yield found
    hub.rights.close()
    hub.pool.close()


async def connect(link: ShareLink) -> LiveClient:
    ticket = await sync_to_async(create_share_ticket)(link)
    client = LiveClient(query=f"ticket={ticket}", headers=[(b"host", b"localhost")])
    assert await client.connect()
    return client


async def answer(client: LiveClient, channel: str) -> dict[str, Any]:
    await client.subscribe(channel, workspace="")
    frame = await client.next()
    assert frame is not None
    return frame


async def test_the_results_of_the_dashboard_open(
    link: ShareLink, job: Job, subscribed: list[ResultSubscription]
) -> None:
    client = await connect(link)
    assert (await answer(client, f"results/{job.pk}"))["op"] == "subscribed"
    assert [(one.job_id, one.shared) for one in subscribed] == [(job.pk, True)]
    await client.leave()


@pytest.mark.parametrize(
    "channel",
    [
        "lag/{job}",
        "logs/{job}",
        "runs",
        "tail/trades",
        "topic/home/trades",
        "results/{other}",
        "results/{foreign}",
        "results/x",
    ],
)
async def test_nothing_else_opens(
    link: ShareLink,
    job: Job,
    workspace: Workspace,
    owner: User,
    subscribed: list[ResultSubscription],
    channel: str,
) -> None:
    def others() -> dict[str, str]:
        eve = create_user("eve")
        document = job.versions.get().document_text
        other = job_of(workspace, owner, document.replace("name: stats", "name: other"))
        return {"other": other.pk, "foreign": job_of(workspace_of(eve, "labs"), eve).pk}

    names = await sync_to_async(others)()
    client = await connect(link)
    frame = await answer(client, channel.format(job=job.pk, **names))
    assert (frame["op"], frame["code"]) == ("error", "NOT_FOUND")
    assert not subscribed
    await client.leave()


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("revoked", 4401),
        ("expired", 4401),
        ("dashboard deleted", 4401),
        ("panel removed", 4403),
        ("job deleted", 4403),
    ],
)
async def test_what_is_open_ends(
    link: ShareLink,
    dashboard: Dashboard,
    job: Job,
    owner: User,
    subscribed: list[ResultSubscription],
    how: str,
    code: int,
) -> None:
    def end() -> None:
        if how == "revoked":
            revoke_link(dashboard, link.pk, owner)
        elif how == "expired":
            ShareLink.objects.update(expires_at="2020-01-01T00:00:00Z")
        elif how == "dashboard deleted":
            delete_dashboard(dashboard, owner)
        elif how == "panel removed":
            change_dashboard(dashboard, owner, "floor", document_of(), 1)
        else:
            delete_job(job, owner)

    client = await connect(link)
    assert (await answer(client, f"results/{job.pk}"))["op"] == "subscribed"
    await sync_to_async(end)()
    async with asyncio.timeout(60):
        assert await client.until_closed() == code


def test_a_job_that_is_deleted_while_rights_are_read_is_not_gone_from_under_its_link(
    link: ShareLink, job: Job, workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else only its subscription would end, and the connection stay, with nothing to show."""
    standing = Standing(None, link_id=link.pk)
    need = Need(workspace.pk, Right.READ, results_of=job.pk, job_id=job.pk)

    def deleted_after(links: set[str]) -> dict[str, SharedOutputs]:
        found = shared_outputs(links)
        delete_job(job, owner)
        return found

    monkeypatch.setattr(rights_module, "shared_outputs", deleted_after)
    rights = read_rights({standing}, jobs={job.pk})
    assert rights.allow(standing, need)
    assert rights.find(need)
    monkeypatch.undo()
    assert not read_rights({standing}, jobs={job.pk}).allow(standing, need)


async def test_a_ticket_that_was_used_is_refused(link: ShareLink) -> None:
    ticket = await sync_to_async(create_share_ticket)(link)
    for allowed in (True, False):
        client = LiveClient(query=f"ticket={ticket}", headers=[(b"host", b"localhost")])
        assert await client.connect() is allowed
        if allowed:
            await client.leave()


def test_a_link_gives_no_right_in_its_workspace(link: ShareLink, workspace: Workspace, job: Job) -> None:
    standing = Standing(None, link_id=link.pk)
    rights = read_rights({standing})
    assert standing in rights.standing
    assert rights.allow(standing, Need(workspace.pk, Right.READ, job.pk))
    assert not rights.allow(standing, Need(workspace.pk, Right.READ))
    assert not rights.allow(standing, Need(workspace.pk + 1, Right.READ, job.pk))
    assert not rights.allow(standing, Need(workspace.pk, Right.READ, "x"))
    assert not rights.allow(Standing(None, link_id="x"), Need(workspace.pk, Right.READ, job.pk))


async def test_why_a_run_failed_is_not_told(job: Job, workspace: Workspace) -> None:
    run = await sync_to_async(running)(job)
    registry = RunRegistry(lambda _job: None)
    registry.learn(await sync_to_async(_failed_view)(run.pk))
    results = ResultsChannel(None, None, registry)  # type: ignore[arg-type]  # only its frames are asked for
    connection = Connection(_taken, _closed, None, person="link x", of_link=True)
    for shared in (False, True):
        one = ResultSubscription(connection, 1, job.pk, workspace.pk, 100, 10, shared=shared)
        results._send_status(one)
        (frame,) = one.take()
        assert ("secret" in frame) is not shared
    connection.release()


def _failed_view(run_id: str) -> Any:
    Run.objects.filter(pk=run_id).update(
        observed="failed",
        failure={"code": "X", "message": "secret", "hint": "", "detail": "", "permanent": True},
    )
    run = Run.objects.select_related("generation").get(pk=run_id)
    return view_of(run, run.generation)


async def _taken(_text: str) -> None:
    return None


async def _closed(_code: int) -> None:
    return None
