"""Registering a topic asks Kafka, and looks again then whose it is."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from tests.support.run_factories import CONTRACT, trades
from tests.support.users import create_user, workspace_of
from weir.clusters.services.clusters import home_cluster
from weir.clusters.services.topics import TopicInfo
from weir.streams.models import Stream
from weir.streams.services import streams, topics
from weir.streams.services.ownership import set_owner
from weir.streams.services.streams import register_stream
from weir.workspaces.errors import NotFoundError, ServiceError, UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]


@pytest.fixture
def eve() -> User:
    return create_user("eve")


@pytest.fixture
def labs(eve: User) -> Workspace:
    return workspace_of(eve, "labs")


def register(workspace: Workspace, actor: User, **more: Any) -> str:
    try:
        register_stream(
            workspace, actor, name="mine", cluster=home_cluster(), topic="orders", contract=CONTRACT, **more
        )
    except ServiceError as error:
        return error.code
    finally:
        if threading.current_thread() is not threading.main_thread():
            connections.close_all()
    return ""


@pytest.mark.parametrize("how", ["made", "registered"])
def test_a_topic_that_another_gets_while_kafka_is_asked_is_not_there(
    workspace: Workspace, owner: User, labs: Workspace, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def ask(*_: Any) -> TopicInfo:
        if how == "made":
            set_owner(home_cluster(), labs, "orders", 1)
        else:
            trades(labs, topic="orders")
        return TopicInfo("orders", "id-1", 1)

    monkeypatch.setattr(streams, "describe_topic", ask)
    with pytest.raises(NotFoundError, match="doesn't exist"):
        register_stream(
            workspace, owner, name="mine", cluster=home_cluster(), topic="orders", contract=CONTRACT
        )
    assert not Stream.objects.of(workspace).exists()


@pytest.mark.parametrize("shared", [False, True])
def test_of_two_workspaces_that_register_at_once_one_gets_it(
    workspace: Workspace,
    owner: User,
    labs: Workspace,
    eve: User,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
) -> None:
    barrier = threading.Barrier(2, timeout=30)

    def ask(*_: Any) -> TopicInfo:
        barrier.wait()
        return TopicInfo("orders", "id-1", 1)

    monkeypatch.setattr(streams, "describe_topic", ask)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(register, *who, shared=shared) for who in ((workspace, owner), (labs, eve))]
        found = sorted(one.result(60) for one in both)
    assert found == (["", ""] if shared else ["", "TOPIC_NOT_FOUND"])
    assert Stream.objects.count() == (2 if shared else 1)


@pytest.mark.parametrize("fails", [False, True])
def test_a_topic_that_is_being_deleted_is_nobody_elses(
    workspace: Workspace,
    owner: User,
    labs: Workspace,
    eve: User,
    monkeypatch: pytest.MonkeyPatch,
    fails: bool,
) -> None:
    """Nobody made it here, so anybody may register it, until somebody deletes it."""
    answers: list[str] = []
    info = TopicInfo("orders", "id-1", 1)
    monkeypatch.setattr(streams, "describe_topic", lambda *_: info)
    monkeypatch.setattr(topics, "describe_topic", lambda *_: info)

    def delete(*_: Any) -> None:
        answers.append(register(labs, eve))
        if fails:
            raise UnreachableError("BROKER_UNREACHABLE", "It doesn't answer.")

    monkeypatch.setattr(topics, "delete_topics", delete)
    if fails:
        with pytest.raises(UnreachableError):
            topics.remove_topic(home_cluster(), workspace, owner, "orders")
        assert register(labs, eve) == ""
    else:
        topics.remove_topic(home_cluster(), workspace, owner, "orders")
    assert answers == ["TOPIC_NOT_FOUND"]
