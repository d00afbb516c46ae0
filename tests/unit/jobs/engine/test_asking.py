"""Clusters are asked beside each other; an error of one is its own."""

import threading
from queue import SimpleQueue

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.engine.asking import Answer, Asking, Question
from jobs.sealing import SealError
from tests.support.processes import wait_until

NEAR, FAR = (ClusterProfile(cluster_id=name, bootstrap="127.0.0.1:1") for name in ("near", "far"))


class Clusters:
    """`FAR` answers when it is let, and then as it is told."""

    def __init__(self) -> None:
        self.far = threading.Event()
        self.error: Exception | None = None

    def end_offsets(self, profile: ClusterProfile, places: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        if profile == FAR:
            self.far.wait(20)
            if self.error is not None:
                raise self.error
        return dict.fromkeys(places, 7)

    def topic_ids(self, profile: ClusterProfile, topics: list[str]) -> dict[str, str | None]:
        return dict.fromkeys(topics, "id-1")


def question(profile: ClusterProfile) -> Question:
    return Question(profile, frozenset({("t", 0)}), frozenset({"t"}))


@pytest.mark.parametrize("error", [KafkaException(KafkaError(KafkaError._TIMED_OUT)), SealError("the key is gone"), None])
def test_one_that_does_not_answer_holds_up_no_other(error: Exception | None) -> None:
    clusters, heard = Clusters(), SimpleQueue[Answer]()
    clusters.error = error
    asking = Asking(clusters, heard.put)  # type: ignore[arg-type]  # the same verbs
    asking.ask(question(FAR))
    for _ in range(3):
        asking.ask(question(NEAR))
        assert heard.get(timeout=10) == Answer(NEAR, {("t", 0): 7}, {"t": "id-1"})
        wait_until(lambda: not asking.is_open(NEAR), 10, "it may be asked again")
    assert asking.is_open(FAR)
    clusters.far.set()
    answer = heard.get(timeout=10)
    assert (answer.profile, answer.error) == (FAR, None if error is None else str(error))
    wait_until(lambda: not asking.is_open(FAR), 10, "it may be asked again")
