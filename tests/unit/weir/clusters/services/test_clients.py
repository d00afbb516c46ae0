"""Broker clients: allowed options only, and a dead cluster answers soon."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException

from jobs.connections import ClusterProfile
from weir.clusters.services import clients, offsets
from weir.clusters.services.clients import (
    IDLE_S,
    consumer,
    door,
    home_profile,
    producer,
    shared_producer,
)
from weir.clusters.services.offsets import end_offsets, watermarks
from weir.clusters.services.reachability import reachable, translate_errors
from weir.clusters.services.topics import describe_topic
from weir.workspaces.errors import ServiceError, UnreachableError

DEAD = ClusterProfile(cluster_id="dead", bootstrap="127.0.0.1:1")


@pytest.mark.parametrize(
    "option",
    ["plugin_library_paths", "debug", "ssl_ca_location", "bootstrap_servers", "sasl_kerberos_kinit_cmd"],
)
def test_other_options_are_refused(option: str) -> None:
    with pytest.raises(ValueError, match="not allowed"):
        producer(DEAD, **{option: "x"})
    with pytest.raises(ValueError, match="not allowed"):
        consumer(DEAD, **{option: "x"})


def test_a_dead_cluster_is_said_soon_and_then_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.clusters.services.reachability._DOWN_TTL_S", 60)
    began = time.monotonic()
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1:1"):
        describe_topic(DEAD, "x")
    assert time.monotonic() - began < 20  # the client gives up after 5 s, Kafka itself after 60
    began = time.monotonic()
    with pytest.raises(UnreachableError):
        describe_topic(DEAD, "x")
    assert time.monotonic() - began < 2  # not 5 s again


def test_what_one_connection_learns_is_no_others_business() -> None:
    """A wrong password does not make the cluster dead for who has the right one, another
    workspace's people included.
    """
    wrong = DEAD.model_copy(update={"bootstrap": "127.0.0.1:2"})
    with pytest.raises(UnreachableError), translate_errors(wrong):
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))
    with pytest.raises(UnreachableError, match="is unreachable"), translate_errors(wrong):
        pass
    with translate_errors(
        wrong.model_copy(
            update={"security": "SASL_SSL", "username": "ann", "password": "sealed", "mechanism": "PLAIN"}
        )
    ):
        pass


def test_reachability_says_why_not() -> None:
    assert reachable(DEAD, timeout_s=1.0)


def test_an_offset_that_is_none_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    late: Future[Any] = Future()
    late.set_result(SimpleNamespace(offset=OFFSET_INVALID))  # so librdkafka says that time ran out
    client = SimpleNamespace(list_offsets=lambda wanted, **_: dict.fromkeys(wanted, late))
    monkeypatch.setattr(offsets, "admin", lambda _: client)
    profile = ClusterProfile(cluster_id="late", bootstrap="127.0.0.1:2")
    with pytest.raises(UnreachableError):
        watermarks(profile, {"t": 2})
    with pytest.raises(UnreachableError):
        end_offsets(profile, [("t", 0)])


@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.KAFKA_STORAGE_ERROR])
def test_what_is_not_known_of_one_topic_is_known_of_the_others(
    monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Else the lag of all jobs on a cluster would be unknown when the right to one topic is taken away."""
    known: Future[Any] = Future()
    known.set_result(SimpleNamespace(offset=7))
    refused: Future[Any] = Future()
    refused.set_exception(KafkaException(KafkaError(code)))
    client = SimpleNamespace(
        list_offsets=lambda wanted, **_: {at: refused if at.topic == "x" else known for at in wanted}
    )
    monkeypatch.setattr(offsets, "admin", lambda _: client)
    profile = ClusterProfile(cluster_id="partly", bootstrap="127.0.0.1:2")
    assert end_offsets(profile, [("x", 0), ("t", 0)]) == {("t", 0): 7}
    with pytest.raises(ServiceError):
        watermarks(profile, {"x": 1})


def test_a_cluster_that_does_not_answer_keeps_no_producer_of_another_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, answered = threading.Event(), threading.Event()

    def ask(profile: ClusterProfile, _: object) -> None:
        if profile.cluster_id == "slow":
            asked.set()
            answered.wait(60)

    monkeypatch.setattr(door, "require_open", lambda _: None)
    monkeypatch.setattr(door, "require_leads_there", ask)
    slow = ClusterProfile(cluster_id="slow", bootstrap="127.0.0.1:1")
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(shared_producer, slow)
        assert asked.wait(60)
        try:
            pool.submit(shared_producer, home_profile()).result(20)
            assert not waiting.done()
        finally:
            answered.set()


def test_a_client_of_a_cluster_that_nobody_asks_for_any_more_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters are deleted, in another process: its threads and connections would stay for ever."""
    now = 1_000.0
    monkeypatch.setattr(door, "require_open", lambda _: None)
    monkeypatch.setattr(door, "require_leads_there", lambda *_: None)
    monkeypatch.setattr(clients.time, "monotonic", lambda: now)
    dropped: list[object] = []
    monkeypatch.setattr(clients, "keep_for_answers", dropped.append)
    cache = clients._ClientCache(lambda profile: [profile.cluster_id])
    home = home_profile()
    gone, used = (ClusterProfile(cluster_id=name, bootstrap="b:1") for name in ("gone", "used"))
    first = [cache(each) for each in (home, gone, used)]
    now += IDLE_S / 2
    cache(used)
    now += IDLE_S / 2 + 1
    assert [cache(each) for each in (home, used)] == [first[0], first[2]]
    assert dropped == [["gone"]]
    assert cache(gone) is not first[1]
