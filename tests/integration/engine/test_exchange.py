"""The exchange topic of two queries on a broker: watermark records, processed input positions, truncation."""

import json
from collections.abc import Iterator

import pytest

from jobs.engine.exchange import ExchangeTracker
from jobs.engine.exchange_rows import WATERMARK_MARGIN_MS
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.kafka_messages import ExchangeTopic
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration


@pytest.fixture
def topic(bench: Bench) -> str:
    return bench.topic("weir.exchange")


@pytest.fixture
def exchange(bench: Bench, topic: str) -> Iterator[ExchangeTracker]:
    opened = ExchangeTracker(
        bench.home, ExchangeTopic(topic=topic, topic_id=bench.kafka.topic_id(topic)), KafkaAdmins()
    )
    yield opened
    opened.close()


def test_inputs_are_processed_once_the_watermark_record_after_their_rows_is_read(
    bench: Bench, exchange: ExchangeTracker, topic: str
) -> None:
    exchange.upstream_committed(0, {})
    exchange.upstream_committed(5_000_000, {"s": {0: 10}})
    exchange.upstream_committed(7_000_000, {"s": {0: 20}})
    exchange.upstream_idle()
    exchange.close()
    reader = bench.reader(topic)
    values = [seen.value for seen in reader.to_end()]
    reader.close()
    assert [json.loads(value or b"{}") for value in values] == [
        {"watermark_ms": 0},
        {"watermark_ms": 5_000 - WATERMARK_MARGIN_MS},
        {"watermark_ms": 7_000 - WATERMARK_MARGIN_MS},
    ]
    assert exchange.take_processed() == {}
    assert not exchange.is_idle
    exchange.downstream_committed(2)
    assert exchange.take_processed() == {"s": {0: 10}}
    assert not exchange.is_idle
    exchange.downstream_committed(3)
    assert exchange.take_processed() == {"s": {0: 20}}
    assert exchange.is_idle
    exchange.upstream_committed(8_000_000, {"s": {0: 30}})
    assert not exchange.is_idle


def test_what_was_read_a_while_ago_is_deleted(bench: Bench, topic: str) -> None:
    exchange = ExchangeTracker(
        bench.home,
        ExchangeTopic(topic=topic, topic_id=bench.kafka.topic_id(topic)),
        KafkaAdmins(),
        truncate_after_s=0,
    )
    for second in range(1, 5):
        exchange.upstream_committed(second * 1_000_000, {})
    exchange.close()
    exchange.downstream_committed(3)

    def left() -> int:
        exchange.tick()
        reader = bench.reader(topic)
        found = len(reader.to_end())
        reader.close()
        return found

    wait_until(lambda: left() == 1, 30, "three records are deleted")
