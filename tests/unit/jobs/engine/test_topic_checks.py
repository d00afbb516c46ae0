"""Which topics of a run are gone: those it reads, by their ids, and those it writes."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.engine.topic_checks import find_lost_topic, outputs_exist
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, DesiredRun, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract
from tests.support.run_positions import run_positions

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")


class Topics(KafkaAdmins):
    """A cluster that has these topics: name, id."""

    def __init__(self, ids: dict[str, str]) -> None:
        super().__init__()
        self._ids = ids

    def topics(self, profile: ClusterProfile, names: list[str]) -> dict[str, DescribedTopic | None]:
        return {name: DescribedTopic(self._ids[name], 4) if name in self._ids else None for name in names}


@pytest.fixture
def run() -> DesiredRun:
    stream: StreamContract = contract({"k": "string"})
    source = BoundSource(
        stream="t", cluster=HOME, topic="t", topic_id="1", partitions=1, contract=stream,
        start=StartPosition(kind="earliest"),
    )  # fmt: skip
    made = desired_run({"a": source}, run_id="r")
    return made.model_copy(update={"result_topic": "result", "topics": {"o": "out"}})


ALL = {"t": "1", "result": "2", "out": "3"}


@pytest.mark.parametrize(
    ("topics", "code"),
    [
        (ALL, None),
        ({"result": "2", "out": "3"}, "TOPIC_NOT_FOUND"),
        (ALL | {"t": "9"}, "TOPIC_RECREATED"),
    ],
)
def test_an_input_that_is_gone_or_another(run: DesiredRun, topics: dict[str, str], code: str | None) -> None:
    lost = find_lost_topic(run, Topics(topics), HOME)
    assert (lost and lost.code) == code


@pytest.mark.parametrize("gone", ["result", "out"])
def test_outputs_exist_when_each_of_them_does(run: DesiredRun, gone: str) -> None:
    assert outputs_exist(run, Topics(ALL), HOME)
    assert not outputs_exist(run, Topics({name: id_ for name, id_ in ALL.items() if name != gone}), HOME)


def test_partitions_that_a_topic_was_given_meanwhile_are_noted(run: DesiredRun) -> None:
    positions = run_positions(run)
    assert find_lost_topic(run, Topics(ALL), HOME, positions) is None
    assert positions.sources["a"].partitions == 4
