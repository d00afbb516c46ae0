"""Whose a topic of the home cluster is, and what that ends."""

import json

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction

from tests.support.fake_topic import PROFILE, FakeTopic
from tests.support.run_factories import trades
from tests.support.users import create_user, workspace_of
from weir.clusters.models import HOME
from weir.clusters.services import topics as kafka_topics
from weir.clusters.services.clusters import home_cluster
from weir.streams.models import OwnedTopic
from weir.streams.services import browse, topics
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.export import export
from weir.streams.services.ownership import TopicReading, delete_owner, set_owner, set_partitions
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ConflictError, NotFoundError
from weir.workspaces.models import Action, Event, Membership, User, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def labs() -> Workspace:
    return workspace_of(create_user("eve"), "labs")


def owner_of(topic: str) -> list[int]:
    return list(OwnedTopic.objects.filter(topic=topic).values_list("workspace_id", flat=True))


def test_who_deletes_a_topic_does_not_delete_the_next_owner(workspace: Workspace, labs: Workspace) -> None:
    """Between Kafka's deletion and the end of the request another may have created one of that name."""
    home = home_cluster()
    set_owner(home, workspace, "orders", 1)
    delete_owner(home, labs, "orders")
    assert owner_of("orders") == [workspace.pk]


def test_a_topic_that_is_gone_from_kafka_is_deleted_by_its_owner(
    workspace: Workspace, owner: User, labs: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a deletion that Kafka confirmed too late: its partitions would count for ever."""
    home = home_cluster()
    monkeypatch.setattr(kafka_topics, "describe_topics", lambda *_: {})
    monkeypatch.setattr(topics, "delete_topics", lambda *_: None)
    set_owner(home, workspace, "orders", 1)
    with pytest.raises(NotFoundError):
        topics.remove_topic(home, labs, owner, "orders")
    stream = trades(workspace, topic="orders")
    with pytest.raises(ConflictError, match="Unregister it first"):
        topics.remove_topic(home, workspace, owner, "orders")
    stream.delete()
    topics.remove_topic(home, workspace, owner, "orders")
    assert owner_of("orders") == []
    assert Event.objects.get(workspace=workspace, action=Action.DELETED).subject == "orders"
    with pytest.raises(NotFoundError):
        topics.remove_topic(home, workspace, owner, "orders")


def test_a_name_on_which_another_has_a_stream_is_taken(
    workspace: Workspace, owner: User, labs: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its topic was deleted by other means: the stream would read what is written to the new one."""
    trades(labs, topic="orders")
    monkeypatch.setattr(topics, "describe_topics", lambda *_: {})
    with pytest.raises(ConflictError) as found:
        topics.add_topic(home_cluster(), workspace, owner, "orders", 1, None, None)
    assert found.value.code == "NAME_TAKEN"


@pytest.mark.parametrize("loss", ["another's", "demoted", "removed"])
async def test_an_export_of_records_ends_with_what_it_rests_on(
    workspace: Workspace, labs: Workspace, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    log = FakeTopic(monkeypatch, 1)
    for number in range(1_200):
        log.write(b"k", str(number).encode())
    monkeypatch.setattr(browse, "watermarks", lambda *_, **__: log.ends())

    def lose() -> None:
        with transaction.atomic():
            if loss == "another's":
                set_owner(home_cluster(), workspace, "t", 1)
            elif loss == "demoted":
                Membership.objects.filter(workspace=labs).update(role=Role.VIEWER)
            else:
                Membership.objects.filter(workspace=labs).delete()

    member = await sync_to_async(Membership.objects.get)(workspace=labs)
    await sync_to_async(home_cluster)()
    ref = TopicRef(PROFILE, "t", 1, reading=TopicReading(labs.pk, HOME, "t"))
    pieces = export("jsonl", ref, BrowseQuery(origin="earliest"), 10_000, member)
    text = [await anext(pieces), await anext(pieces)]
    await sync_to_async(lose)()
    lines = "".join([*text, *[piece async for piece in pieces]]).splitlines()
    assert len(lines) == 501
    assert json.loads(lines[-1]) == {"stopped": "500 records, then access to the topic ended"}


def test_a_stream_is_read_with_the_partitions_that_its_topic_got(
    workspace: Workspace, labs: Workspace
) -> None:
    home = home_cluster()
    stream, other = trades(workspace, topic="orders"), trades(labs, topic="others")
    set_owner(home, workspace, "orders", 1)
    set_partitions(home, "orders", 7)
    stream.refresh_from_db()
    other.refresh_from_db()
    assert (stream.partitions, OwnedTopic.objects.get(topic="orders").partitions) == (7, 7)
    assert other.partitions != 7
