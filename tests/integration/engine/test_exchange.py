"""The topic between two stages on a real broker: what a heartbeat says, what has gone through both, and what is forgotten."""

import json
from collections.abc import Iterator

import pytest

from jobs.engine.between import Between
from jobs.engine.clusters import Clusters
from jobs.engine.cut_rows import STEP_MS
from jobs.messages import InnerTopic
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration


@pytest.fixture
def topic(bench: Bench) -> str:
    return bench.topic("weir.stages")


@pytest.fixture
def between(bench: Bench, topic: str) -> Iterator[Between]:
    opened = Between(bench.home, InnerTopic(topic=topic, topic_id=bench.kafka.topic_id(topic)), Clusters())
    yield opened
    opened.close()


def test_inputs_have_passed_once_the_heartbeat_behind_their_rows_is_read(bench: Bench, between: Between, topic: str) -> None:
    between.committed_above(0, {})
    between.committed_above(5_000_000, {"s": {0: 10}})
    between.committed_above(7_000_000, {"s": {0: 20}})
    between.idle_above()
    between.close()
    reader = bench.reader(topic)
    values = [seen.value for seen in reader.to_end()]
    reader.close()
    assert [json.loads(value or b"{}") for value in values] == [{"mark": 0}, {"mark": 5_000 - STEP_MS}, {"mark": 7_000 - STEP_MS}]
    assert between.take_passed() == {}
    assert not between.rests
    between.committed_below(2)
    assert between.take_passed() == {"s": {0: 10}}
    assert not between.rests
    between.committed_below(3)
    assert between.take_passed() == {"s": {0: 20}}
    assert between.rests
    between.committed_above(8_000_000, {"s": {0: 30}})
    assert not between.rests


def test_what_was_read_a_while_ago_is_forgotten(bench: Bench, topic: str) -> None:
    between = Between(bench.home, InnerTopic(topic=topic, topic_id=bench.kafka.topic_id(topic)), Clusters(), forget_after=0)
    for second in range(1, 5):
        between.committed_above(second * 1_000_000, {})
    between.close()
    between.committed_below(3)

    def left() -> int:
        between.tick()
        reader = bench.reader(topic)
        found = len(reader.to_end())
        reader.close()
        return found

    wait_until(lambda: left() == 1, 30, "three records are forgotten")
