"""Asks over Kafka, answered by an engine process."""

import time
import uuid

import pytest
from confluent_kafka import Producer

from jobs.engine.play.warmup import warm_up_script
from jobs.kafka_messages import ANSWERS_TOPIC, ASKS_TOPIC, Answer, PlayAsk
from tests.support.spark_engine import Bench, EngineProcess

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

AGAIN_S = 30.0  # an engine that is still starting does not hear an ask


def ask_for(engine_id: str) -> PlayAsk:
    return PlayAsk(
        ask_id=uuid.uuid4().hex,
        engine_id=engine_id,
        owner="me",
        expires_us=time.time_ns() // 1_000 + 300_000_000,
        script=warm_up_script(),
    )


def send(bench: Bench, ask: PlayAsk) -> None:
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    producer.produce(ASKS_TOPIC, key=ask.ask_id, value=ask.model_dump_json().encode())
    assert producer.flush(20) == 0


def test_an_ask_is_answered_with_the_rows_of_each_step(bench: Bench, engine: EngineProcess) -> None:
    reader = bench.reader(ANSWERS_TOPIC)
    sent, found = dict[str, PlayAsk](), list[Answer]()
    deadline = time.monotonic() + 300
    while not found and time.monotonic() < deadline:
        ask = ask_for(engine.engine_id)
        sent[ask.ask_id] = ask
        send(bench, ask_for("another engine"))
        send(bench, ask)
        again = time.monotonic() + AGAIN_S
        while time.monotonic() < again and not found:
            answers = [Answer.model_validate_json(seen.value) for seen in reader.new() if seen.value]
            found += [answer for answer in answers if answer.result.problem is None]
    reader.close()
    assert found, "no answer"
    assert found[0].ask_id in sent
    assert found[0].engine_id == engine.engine_id
    assert [batch.steps["derived"].rows for batch in found[0].result.batches] == [100, 100]
    counted = sum(
        row.value["n"]
        for batch in found[0].result.batches
        for row in batch.outputs["out"].first
        if row.value is not None and row.value["word"] == "word 0"
    )
    assert counted > 0
