"""What the engine makes of a cluster's answers."""

from collections.abc import Iterable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition

from jobs.cluster_identity import ClusterIdentity, ClusterRefusedError, SlowNamesError
from jobs.cluster_probe import Probed, ProbeError
from jobs.connections import ClusterProfile
from jobs.engine import kafka_admins
from jobs.engine.cluster_poller import ClusterPoller, PollRequest, PollResult
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.engine.topic_checks import find_lost_topic
from tests.support.desired_runs import bound_source, desired_run
from tests.support.plan_helpers import contract

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
FAR = ClusterProfile(cluster_id="far", bootstrap="127.0.0.1:2")


class Client:
    """An admin client that answers nothing."""


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    """The clients that were made; those of the home cluster answer who they are."""
    made: list[Client] = []

    def client(_: ClusterProfile) -> Client:
        made.append(Client())
        return made[-1]

    monkeypatch.setattr(kafka_admins, "_client", client)
    monkeypatch.setattr(kafka_admins, "keep_for_answers", lambda _: None)
    monkeypatch.setattr(KafkaAdmins, "_require_foreign", lambda *_: None)
    return made


def probes(monkeypatch: pytest.MonkeyPatch, *answers: Probed | ProbeError) -> None:
    """What the cluster answers at the first question, each time that it is asked."""
    left = list(answers)

    def probe(*_: Any) -> Probed:
        answer = left.pop(0)
        if isinstance(answer, ProbeError):
            raise answer
        return answer

    monkeypatch.setattr(kafka_admins, "probe", probe)


THERE = Probed(ClusterIdentity("k", (("b", 1),)))


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("user_refused", "AUTHENTICATION_FAILED"),
        ("mechanism_unknown", "AUTHENTICATION_FAILED"),
        ("closed", "BROKER_UNREACHABLE"),
        ("unanswered", "BROKER_UNREACHABLE"),
    ],
)
def test_a_refused_user_is_no_cluster_that_is_away(
    monkeypatch: pytest.MonkeyPatch, clients: list[Client], reason: str, code: str
) -> None:
    probes(monkeypatch, ProbeError(reason, "no"))
    with pytest.raises(KafkaException) as caught:
        KafkaAdmins(HOME).admin(FAR)
    assert failure_of(caught.value).code == code
    assert not clients


def test_a_client_that_gets_no_answer_is_not_left_trying_its_password(
    monkeypatch: pytest.MonkeyPatch, clients: list[Client]
) -> None:
    probes(monkeypatch, THERE, ProbeError("user_refused", "no"))
    away = KafkaException(KafkaError(KafkaError._TRANSPORT))

    def identity(*_: Any) -> ClusterIdentity:
        raise away

    monkeypatch.setattr(kafka_admins, "identity_of", identity)
    admins = KafkaAdmins(HOME)
    codes = []
    for _ in range(2):
        with pytest.raises(KafkaException) as caught:
            admins.admin(FAR)
        codes.append(failure_of(caught.value).code)
    assert codes == ["BROKER_UNREACHABLE", "AUTHENTICATION_FAILED"]
    assert len(clients) == 1


def test_slow_names_are_a_cluster_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run ends for good because the resolver doesn't answer for some seconds. A cluster that names other
    brokers then is refused: one of them may be the home cluster's.
    """
    is_slow = True

    def require(*_: Any, **__: Any) -> None:
        if is_slow:
            raise SlowNamesError("slow")

    probes(monkeypatch, THERE)
    monkeypatch.setattr(kafka_admins, "_client", lambda _: Client())
    monkeypatch.setattr(kafka_admins, "identity_of", lambda *_: ClusterIdentity("home", ()))
    monkeypatch.setattr(kafka_admins, "require_foreign", require)
    monkeypatch.setattr(kafka_admins, "IDENTITY_CHECK_INTERVAL_S", 0.0)
    admins = KafkaAdmins(HOME)
    with pytest.raises(KafkaException) as caught:
        admins.admin(FAR)
    failure = failure_of(caught.value)
    assert (failure.code, failure.permanent) == ("BROKER_UNREACHABLE", False)
    is_slow = False
    monkeypatch.setattr(kafka_admins, "identity_of", lambda *_: ClusterIdentity("far", (("b", 1),)))
    probes(monkeypatch, THERE)
    admins.admin(FAR)
    is_slow = True
    with pytest.raises(KafkaException):
        admins.admin(FAR)
    monkeypatch.setattr(kafka_admins, "identity_of", lambda *_: ClusterIdentity("far", (("c", 1),)))
    with pytest.raises(ClusterRefusedError):
        admins.admin(FAR)


def test_clients_that_no_run_uses_any_more_are_dropped(clients: list[Client]) -> None:
    """They would keep their threads and connections, and try an old password for ever."""
    admins = KafkaAdmins()
    kept, dropped = admins.admin(HOME), admins.admin(FAR)
    admins.drop_stale([HOME])
    assert admins.admin(HOME) is kept
    assert admins.admin(FAR) is not dropped
    assert len(clients) == 3


class PartlyRefused:
    """An admin client whose cluster fails whatever is asked of topic `x`."""

    def __init__(self, code: int) -> None:
        self._error = KafkaException(KafkaError(code))

    def list_offsets(
        self, partitions: Iterable[TopicPartition], **_: Any
    ) -> dict[TopicPartition, Future[Any]]:
        return {at: self._answer(at.topic, SimpleNamespace(offset=7)) for at in partitions}

    def describe_topics(self, topics: TopicCollection, **_: Any) -> dict[str, Future[Any]]:
        described = SimpleNamespace(topic_id="id-1", partitions=[0, 1, 2])
        return {name: self._answer(name, described) for name in topics.topic_names}

    def _answer(self, topic: str, answer: object) -> Future[Any]:
        future: Future[Any] = Future()
        if topic == "x":
            future.set_exception(self._error)
        else:
            future.set_result(answer)
        return future


def polled(monkeypatch: pytest.MonkeyPatch, code: int) -> PollResult:
    """The result of a poll for topics `t` and `x`, the latter of which fails with this code."""
    monkeypatch.setattr(kafka_admins, "_client", lambda _: PartlyRefused(code))
    partitions = frozenset({("t", 0), ("x", 0)})
    poller = ClusterPoller(KafkaAdmins(), lambda _: None)
    return poller._fetch(PollRequest(HOME, partitions, partitions, frozenset({"t", "x"})))


@pytest.mark.parametrize(
    "code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.KAFKA_STORAGE_ERROR, KafkaError.UNKNOWN]
)
def test_the_error_of_one_topic_is_not_its_clusters(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    assert polled(monkeypatch, code) == PollResult(
        HOME, {("t", 0): 7, ("x", 0): None}, {("t", 0): 7}, {"t": DescribedTopic("id-1", 3)}
    )
    run = desired_run({"s": bound_source(contract(), "x")})
    with pytest.raises(KafkaException):
        find_lost_topic(run, KafkaAdmins(), HOME)


@pytest.mark.parametrize(
    "code", [KafkaError._TRANSPORT, KafkaError._TIMED_OUT, KafkaError.SASL_AUTHENTICATION_FAILED]
)
def test_an_error_of_the_connection_is(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    assert polled(monkeypatch, code).error is not None
