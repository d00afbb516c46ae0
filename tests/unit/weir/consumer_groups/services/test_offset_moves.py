"""Moves of offsets of which the cluster rejects some."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.support.group_rows import stored_group, watched
from tests.support.run_factories import trades
from weir.clusters.services import groups
from weir.consumer_groups.services import offset_moves
from weir.consumer_groups.services.offset_moves import Move, Wish, move_offsets, remove_group
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
DENIED = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)


@pytest.mark.parametrize(("rejected", "code"), [((1,), "PARTLY_MOVED"), ((0, 1), "FORBIDDEN_BY_KAFKA")])
def test_what_was_moved_is_in_the_audit_trail_and_the_rest_is_told(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, rejected: tuple[int, ...], code: str
) -> None:
    trades(workspace, topic="orders")
    watched()
    stored_group("billing", {"orders": 5}, state="Empty")
    answered: Future[Any] = Future()
    answered.set_result(
        SimpleNamespace(
            topic_partitions=[
                SimpleNamespace(topic="orders", partition=at, error=DENIED if at in rejected else None)
                for at in (0, 1)
            ]
        )
    )
    admin = SimpleNamespace(alter_consumer_group_offsets=lambda *_, **__: {"billing": answered})
    moves = tuple(Move("orders", at, 0, 7, 0, 10, cut=False) for at in (0, 1))
    monkeypatch.setattr(offset_moves, "admin", lambda _: admin)
    monkeypatch.setattr(offset_moves, "_require_inactive", lambda _: None)
    monkeypatch.setattr(offset_moves, "_moves", lambda *_: moves)
    with pytest.raises(ServiceError) as told:
        move_offsets(workspace, owner, "home", "billing", Wish("offset", 7))
    assert told.value.code == code
    said = list(Event.objects.filter(text__contains="moved on").values_list("text", flat=True))
    if code == "PARTLY_MOVED":
        assert "1 of 2 partitions weren't moved, such as partition 1 of orders" in told.value.detail
        assert ["1 partition of orders, 7 records skipped" in text for text in said] == [True]
    else:
        assert said == []


def test_a_group_that_became_active_meanwhile_is_not_deleted_and_it_is_told_why(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    trades(workspace, topic="orders")
    watched()
    stored_group("billing", {"orders": 5}, state="Empty")
    answered: Future[Any] = Future()
    answered.set_exception(KafkaException(KafkaError(KafkaError.NON_EMPTY_GROUP)))
    admin = SimpleNamespace(delete_consumer_groups=lambda *_, **__: {"billing": answered})
    monkeypatch.setattr(groups, "admin", lambda _: admin)
    monkeypatch.setattr(offset_moves, "_require_inactive", lambda _: None)
    monkeypatch.setattr(offset_moves, "_committed", lambda *_: {})
    with pytest.raises(ConflictError) as told:
        remove_group(workspace, owner, "home", "billing")
    assert told.value.code == "GROUP_ACTIVE"
