"""Whose a topic of the home cluster is while it is made."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from tests.support.users import create_user, workspace_of
from weir.clusters.services import topics
from weir.clusters.services.clusters import home_cluster
from weir.streams.models import OwnedTopic
from weir.streams.services.new_topics import make_topic, new_owner
from weir.streams.services.ownership import set_owner
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def labs() -> Workspace:
    return workspace_of(create_user("eve"), "labs")


def owner_of(topic: str) -> list[int]:
    return list(OwnedTopic.objects.filter(topic=topic).values_list("workspace_id", flat=True))


def test_a_topic_has_its_owner_before_it_exists(workspace: Workspace) -> None:
    with new_owner(home_cluster(), workspace, "orders", 2):
        assert owner_of("orders") == [workspace.pk]
    assert owner_of("orders") == [workspace.pk]


@pytest.mark.parametrize("earlier", [True, False])
def test_where_nothing_was_created_the_owner_is_as_before(
    workspace: Workspace, labs: Workspace, earlier: bool
) -> None:
    home = home_cluster()
    if earlier:
        set_owner(home, labs, "orders", 1)
    with pytest.raises(ServiceError, match="refused"), new_owner(home, workspace, "orders", 2):
        raise ServiceError("X", "refused")
    assert owner_of("orders") == ([labs.pk] if earlier else [])


def test_where_the_broker_may_have_created_it_the_owner_stays(workspace: Workspace) -> None:
    with pytest.raises(UnreachableError), new_owner(home_cluster(), workspace, "orders", 2):
        raise UnreachableError("KAFKA_UNREACHABLE", "no answer")
    assert owner_of("orders") == [workspace.pk]


def test_where_kafka_shows_a_new_topic_late_the_owner_stays(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It exists: without an owner, every workspace could read it."""
    confirmed: Future[None] = Future()
    confirmed.set_result(None)
    client = SimpleNamespace(create_topics=lambda *_, **__: {"orders": confirmed})
    monkeypatch.setattr(topics, "admin", lambda _: client)
    monkeypatch.setattr(topics, "describe_topics", lambda *_: {})
    monkeypatch.setattr(topics, "TIMEOUT_S", 0.1)
    with pytest.raises(UnreachableError):
        make_topic(home_cluster(), workspace, "orders", 2, {})
    assert owner_of("orders") == [workspace.pk]


def test_who_loses_a_race_takes_nothing_from_who_wins(workspace: Workspace, labs: Workspace) -> None:
    def lose() -> None:
        with new_owner(home_cluster(), workspace, "orders", 2):
            pass
        raise ServiceError("X", "exists")

    with pytest.raises(ServiceError, match="exists"), new_owner(home_cluster(), labs, "orders", 1):
        lose()
    assert owner_of("orders") == [workspace.pk]
