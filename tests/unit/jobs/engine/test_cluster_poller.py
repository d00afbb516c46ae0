"""Clusters are polled independently; an error of one affects no other."""

import threading
from queue import SimpleQueue

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.encryption import DecryptionError
from jobs.engine.cluster_poller import ClusterPoller, PollRequest, PollResult
from jobs.engine.kafka_admins import DescribedTopic
from tests.support.processes import wait_until

NEAR, FAR = (ClusterProfile(cluster_id=name, bootstrap="127.0.0.1:1") for name in ("near", "far"))
TOPIC = DescribedTopic("id-1", 2)


class KafkaAdmins:
    """`FAR` responds once `far` is set, with `error` if there is one."""

    def __init__(self) -> None:
        self.far = threading.Event()
        self.error: Exception | None = None

    def end_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        if profile == FAR:
            self.far.wait(20)
            if self.error is not None:
                raise self.error
        return dict.fromkeys(partitions, 7)

    def start_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        return dict.fromkeys(partitions, 2)

    def known_topics(self, profile: ClusterProfile, names: list[str]) -> dict[str, DescribedTopic | None]:
        return dict.fromkeys(names, TOPIC)


def request(profile: ClusterProfile) -> PollRequest:
    return PollRequest(profile, frozenset({("t", 0), ("t", 1)}), frozenset({("t", 1)}), frozenset({"t"}))


@pytest.mark.parametrize(
    "error", [KafkaException(KafkaError(KafkaError._TIMED_OUT)), DecryptionError("the key is gone"), None]
)
def test_a_slow_cluster_delays_no_other(error: Exception | None) -> None:
    admins, results = KafkaAdmins(), SimpleQueue[PollResult]()
    admins.error = error
    poller = ClusterPoller(admins, results.put)  # type: ignore[arg-type]  # the same verbs
    poller.poll(request(FAR))
    for _ in range(3):
        poller.poll(request(NEAR))
        assert results.get(timeout=10) == PollResult(
            NEAR, {("t", 0): 7, ("t", 1): 7}, {("t", 1): 2}, {"t": TOPIC}
        )
        wait_until(lambda: not poller.is_open(NEAR), 10, "it may be polled again")
    assert poller.is_open(FAR)
    admins.far.set()
    result = results.get(timeout=10)
    assert (result.profile, result.error) == (FAR, None if error is None else str(error))
    wait_until(lambda: not poller.is_open(FAR), 10, "it may be polled again")


def test_an_error_that_nobody_thought_of_is_a_result() -> None:
    admins, results = KafkaAdmins(), SimpleQueue[PollResult]()
    admins.error = UnicodeError("label empty or too long")
    admins.far.set()
    poller = ClusterPoller(admins, results.put)  # type: ignore[arg-type]  # the same verbs
    poller.poll(request(FAR))
    result = results.get(timeout=10)
    assert (result.profile, result.error) == (FAR, "UnicodeError: label empty or too long")
    wait_until(lambda: not poller.is_open(FAR), 10, "it may be polled again")
