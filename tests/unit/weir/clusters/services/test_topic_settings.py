"""Settings of topics on clusters that do not tell all of them."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.support.fake_topic import PROFILE
from weir.clusters.services import topic_settings
from weir.clusters.services.topic_settings import TopicSettings, read_settings
from weir.consumer_groups.services import topic_retention
from weir.consumer_groups.services.forecast import Retention
from weir.consumer_groups.services.topic_retention import TopicRetention
from weir.workspaces.errors import ServiceError

Entries = dict[str, str | None]


def answer(monkeypatch: pytest.MonkeyPatch, found: Entries | int) -> None:
    """What the cluster answers: settings, or an error."""

    def describe(resources: list[Any], **_: Any) -> dict[Any, Future[Any]]:
        future: Future[Any] = Future()
        if isinstance(found, int):
            future.set_exception(KafkaException(KafkaError(found)))
        else:
            future.set_result({name: SimpleNamespace(value=value) for name, value in found.items()})
        return dict.fromkeys(resources, future)

    for module in (topic_settings, topic_retention):
        monkeypatch.setattr(module, "admin", lambda _: SimpleNamespace(describe_configs=describe))


DENIED = KafkaError.TOPIC_AUTHORIZATION_FAILED
FEW: Entries = {"retention.ms": "60000", "cleanup.policy": "delete", "retention.bytes": None}


@pytest.mark.parametrize(
    ("found", "known", "retention"),
    [
        (DENIED, TopicSettings(None, None, None, None, None), Retention()),
        ({}, TopicSettings(None, None, None, None, None), Retention()),
        (FEW, TopicSettings(60_000, None, "delete", None, None), Retention(60.0)),
    ],
)
def test_what_a_cluster_does_not_tell_is_unknown(
    monkeypatch: pytest.MonkeyPatch, found: Entries | int, known: TopicSettings, retention: Retention
) -> None:
    """Its topics are shown all the same, and its consumer groups are watched."""
    answer(monkeypatch, found)
    assert read_settings(PROFILE, "orders") == known
    assert TopicRetention(PROFILE).of(["orders"]) == {"orders": retention}


def test_another_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, KafkaError.INVALID_REQUEST)
    with pytest.raises(ServiceError, match="rejected"):
        read_settings(PROFILE, "orders")
