"""Who may connect, what they may see, and what happens to those who do not keep to the protocol."""

import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.integration.live.conftest import Results
from tests.support.hostile_frames import HOSTILE_FRAMES
from tests.support.kafka_node import KafkaServer
from tests.support.live_client import LiveClient
from tests.support.patience import PATIENCE
from tests.support.users import client_of, create_user, member, session_of, workspace_of
from weir.live import consumer
from weir.workspaces.models import ApiToken, Membership, OneTimeToken, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.one_time_tokens import create_ticket
from weir.workspaces.services.tokens import create_token

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

Connect = Callable[..., Any]


@pytest.mark.parametrize(
    "headers",
    [[(b"host", b"localhost")], [(b"host", b"localhost"), (b"origin", b"http://evil.example")],
     [(b"host", b"localhost"), (b"origin", b"http://localhost.evil.example")],
     [(b"host", b"localhost"), (b"origin", b"null")],
     [(b"host", b"localhost"), (b"origin", b"http://localhost:9999")],
     [(b"host", b"localhost"), (b"origin", b"https://localhost")]],
    ids=["missing", "foreign", "look-alike", "opaque", "port", "scheme"],
)  # fmt: skip
async def test_a_browser_needs_our_origin(
    connect: Connect, owner: User, headers: list[tuple[bytes, bytes]]
) -> None:
    client = LiveClient(await sync_to_async(session_of)(owner), headers=headers)
    assert not await client.connect()


async def test_a_client_without_a_session_must_sign_in(connect: Connect) -> None:
    client = LiveClient()
    assert await client.connect()
    assert await client.until_closed() == 4401


async def test_a_ticket_works_once_and_for_thirty_seconds(
    connect: Connect, owner: User, workspace: Workspace
) -> None:
    bare = [(b"host", b"localhost")]
    ticket = await sync_to_async(create_ticket)(owner)
    client = LiveClient(query=f"ticket={ticket}", headers=bare)
    assert await client.connect()
    await client.subscribe("runs")
    await client.until_op("subscribed")
    await client.leave()
    assert not await LiveClient(query=f"ticket={ticket}", headers=bare).connect(), "used"
    late = await sync_to_async(create_ticket)(owner)
    await sync_to_async(OneTimeToken.objects.update)(expires_at=timezone.now() - timedelta(seconds=1))
    assert not await LiveClient(query=f"ticket={late}", headers=bare).connect(), "expired"
    assert not await LiveClient(query="ticket=nothing", headers=bare).connect(), "unknown"


@pytest.mark.parametrize("channel", ["results/{job}", "lag/{job}", "logs/{job}", "tail/trades"])
async def test_a_stranger_learns_nothing(results: Results, connect: Connect, channel: str) -> None:
    stranger = await sync_to_async(create_user)("eve")
    await sync_to_async(workspace_of)(stranger, "theirs")
    client = await connect(stranger)
    there, nowhere = (
        channel.format(job=results.job.pk),
        channel.format(job="0123456789ab").replace("trades", "nothing"),
    )
    for id, (channel, workspace) in enumerate(
        [(there, "ops"), (there, "theirs"), (nowhere, "theirs"), (nowhere, "nowhere")]
    ):
        await client.subscribe(channel, id=id, workspace=workspace)
        await client.until_op("error", id=id, code="NOT_FOUND")
    await client.subscribe("runs", id=9, workspace="ops")
    await client.until_op("error", id=9, code="NOT_FOUND")
    assert len({json.dumps({**frame, "id": 0}) for frame in client.frames}) == 1, (
        "the same words for what is theirs and what is not there"
    )


async def test_runs_of_a_workspace_are_only_its_own(results: Results, connect: Connect) -> None:
    stranger = await sync_to_async(create_user)("eve")
    await sync_to_async(workspace_of)(stranger, "theirs")
    client = await connect(stranger)
    await client.subscribe("runs", workspace="theirs")
    await client.until_op("subscribed")
    viewer = await connect()
    await viewer.subscribe("runs")
    await viewer.until_op("status", job_id=results.job.pk)
    await client.send(op="unsubscribe", id=1)
    await client.until_op("unsubscribed")
    assert not [frame for frame in client.frames if frame["op"] == "status"]


@pytest.mark.parametrize("loss", ["signed out", "password changed", "role lost", "made inactive"])
async def test_a_loss_of_rights_ends_a_connection(
    results: Results, workspace: Workspace, connect: Connect, loss: str
) -> None:
    viewer = await sync_to_async(member)(workspace, "bob", Role.VIEWER)
    client = await connect(viewer)
    await client.subscribe(f"results/{results.job.pk}")
    await client.until_op("snapshot")

    def lose() -> None:
        if loss == "signed out":
            Session.objects.all().delete()
        elif loss == "password changed":
            viewer.set_password("another long passphrase")
            viewer.save()
        elif loss == "made inactive":
            User.objects.filter(pk=viewer.pk).update(is_active=False)
        else:
            Membership.objects.filter(user=viewer).delete()

    await sync_to_async(lose)()
    lost_at = time.monotonic()
    assert await client.until_closed() == (4403 if loss == "role lost" else 4401)
    assert time.monotonic() - lost_at < 5 * PATIENCE
    assert client.frames[-1]["cursors"], "it may resume after signing in again"


async def test_a_demotion_ends_what_it_no_longer_allows(
    broker: KafkaServer, workspace: Workspace, connect: Connect
) -> None:
    broker.create_topic("watched", 1, {})
    editor = await sync_to_async(member)(workspace, "bob", Role.EDITOR)
    watching_topic, watching_runs = await connect(editor), await connect(editor)
    await watching_topic.subscribe("topic/home/watched")
    await watching_topic.until_op("subscribed")
    await watching_runs.subscribe("topic/home/watched")
    await watching_runs.until_op("subscribed")
    await watching_runs.send(op="unsubscribe", id=1)
    await watching_runs.subscribe("runs", id=1)
    await watching_runs.until_op("unsubscribed")
    await sync_to_async(Membership.objects.filter(user=editor).update)(role=Role.VIEWER)
    assert await watching_topic.until_closed() == 4403
    # Subscriptions that a viewer may have continue; both were checked in the same round.
    await watching_runs.subscribe("runs", id=2)
    await watching_runs.until_op("subscribed", id=2)


@pytest.mark.parametrize("way", ["header", "ticket"])
@pytest.mark.parametrize("loss", ["revoked", "expired"])
async def test_a_connection_ends_with_its_token(
    connect: Connect, owner: User, workspace: Workspace, way: str, loss: str
) -> None:
    row, text = await sync_to_async(create_token)(owner, "ci", timedelta(days=1))
    if way == "header":
        client = LiveClient(headers=[(b"host", b"localhost"), (b"authorization", f"Bearer {text}".encode())])
    else:
        ticket = await sync_to_async(create_ticket)(owner, row)
        client = LiveClient(query=f"ticket={ticket}", headers=[(b"host", b"localhost")])
    assert await client.connect()
    await client.subscribe("runs")
    await client.until_op("subscribed")
    mine = ApiToken.objects.filter(pk=row.pk)
    await (
        sync_to_async(mine.delete)()
        if loss == "revoked"
        else sync_to_async(mine.update)(expiry=timezone.now() - timedelta(seconds=1))
    )
    assert await client.until_closed() == 4401
    await client.leave()


@pytest.mark.parametrize("header", [b"Bearer weir_0", b"Bearer", b"Basic eDp5", b"", b"Bearer \xe9"])
async def test_a_wrong_header_connects_nobody(connect: Connect, owner: User, header: bytes) -> None:
    cookie = await sync_to_async(session_of)(owner)
    client = LiveClient(
        cookie,
        headers=[(b"host", b"localhost"), (b"origin", b"http://evil.example"), (b"authorization", header)],
    )
    assert not await client.connect()


async def test_each_hostile_frame_gets_an_error_and_disturbs_nothing(
    connect: Connect, workspace: Workspace
) -> None:
    titles = list(HOSTILE_FRAMES)
    for at in range(0, len(titles), consumer.MAX_BAD_FRAMES):  # one more would end the connection
        client = await connect()
        for number, title in enumerate(titles[at : at + consumer.MAX_BAD_FRAMES]):
            client.frames.clear()
            await client.send_text(HOSTILE_FRAMES[title])
            error = await client.until_op("error")
            assert error["code"] in {"BAD_FRAME", "FRAME_TOO_LARGE", "UNKNOWN_CHANNEL"}, title
            await client.subscribe("runs", id=number)
            await client.until_op("subscribed", id=number)


async def test_repeated_abuse_ends_the_connection(connect: Connect) -> None:
    client = await connect()
    for _ in range(20):
        await client.send_text("nonsense")
    assert await client.until_closed() == 4400


async def test_a_flood_of_good_frames_ends_it_too(connect: Connect) -> None:
    client = await connect()
    for _ in range(consumer.MAX_REQUESTS + 20):
        await client.send(op="pong")
    assert await client.until_closed() == 4400


async def test_a_ping_is_answered(connect: Connect) -> None:
    client = await connect()
    await client.send(op="ping")
    await client.until_op("pong")


async def test_subscriptions_are_bounded_and_their_ids_are_unique(
    connect: Connect, workspace: Workspace
) -> None:
    client = await connect()
    for id in range(consumer.MAX_SUBSCRIPTIONS):
        await client.subscribe("runs", id=id)
    await client.until_op("subscribed", id=consumer.MAX_SUBSCRIPTIONS - 1)
    await client.subscribe("runs", id=1000)
    await client.until_op("error", id=1000, code="LIMIT")
    await client.send(op="unsubscribe", id=7)
    await client.subscribe("runs", id=3)
    await client.until_op("error", id=3, code="DUPLICATE_ID")
    await client.subscribe("runs", id=1001)
    await client.until_op("subscribed", id=1001)


async def test_connections_per_person_are_bounded(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "MAX_CONNECTIONS_PER_USER", 2)
    first = await connect()
    await connect()
    third = await connect()
    assert await third.until_closed() == 4429
    await first.leave()
    fourth = await connect()
    await fourth.send(op="unsubscribe", id=1)
    await fourth.until_op("unsubscribed")


@pytest.mark.parametrize("path", ["results", "results/export", "lag", "lag/history", "logs"])
def test_over_rest_a_stranger_gets_404(results: Results, path: str, kafka: KafkaServer) -> None:
    stranger = create_user("eve")
    workspace_of(stranger, "theirs")
    for slug in ("ops", "theirs"):
        assert (
            client_of(stranger).get(f"/api/v1/workspaces/{slug}/jobs/{results.job.pk}/{path}").status_code
            == 404
        )
    assert client_of(None).get(f"/api/v1/workspaces/ops/jobs/{results.job.pk}/{path}").status_code == 401
