"""Asks over Kafka, answered by an engine process."""

import time
import uuid

import pytest
from confluent_kafka import Producer

from jobs.engine.play.warmup import warm_up_script
from jobs.job_tests.play_folder import PlayFolder, play_folder
from jobs.kafka_messages import ANSWERS_TOPIC, ASKS_TOPIC, Answer, PlayAsk, PlayFolderAsk
from tests.support.event_count_job import CONTRACT, COUNTS
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

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


def send(bench: Bench, ask: PlayAsk | PlayFolderAsk) -> None:
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    key = ask.ask_id if isinstance(ask, PlayAsk) else ask.run_id
    producer.produce(ASKS_TOPIC, key=key, value=ask.model_dump_json().encode())
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
            found += [answer for answer in answers if answer.ask_id in sent and answer.result.problem is None]
    reader.close()
    assert found, "no answer"
    assert found[0].engine_id == engine.engine_id
    assert [batch.steps["derived"].rows for batch in found[0].result.batches] == [100, 100]
    counted = sum(
        row.value["n"]
        for batch in found[0].result.batches
        for row in batch.outputs["out"].first
        if row.value is not None and row.value["word"] == "word 0"
    )
    assert counted > 0


def folder_of(bench: Bench, run_id: str, scripts: int) -> PlayFolder:
    folder = play_folder(bench.folder / "engine", run_id)
    folder.make()
    for number in range(scripts):
        folder.write_script(number, warm_up_script())
    return folder


def ask_to_play(engine: EngineProcess, run_id: str) -> PlayFolderAsk:
    expires_us = time.time_ns() // 1_000 + 300_000_000
    return PlayFolderAsk(engine_id=engine.engine_id, owner=run_id, expires_us=expires_us, run_id=run_id)


def test_scripts_of_a_folder_are_played_one_after_another(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """Their results are files; a folder that is gone is no error."""
    reports.idle(engine)  # one that still ends a run of the test before declines them
    run_id = uuid.uuid4().hex[:12]
    folder = folder_of(bench, run_id, 2)
    send(bench, ask_to_play(engine, "gone"))
    send(bench, ask_to_play(engine, run_id))
    wait_until(lambda: folder.is_accepted, 60, "the engine accepts them", engine.tail)
    wait_until(lambda: not folder.waiting(), 300, "both are played")
    results = [folder.read_result(number) for number in range(2)]
    assert all(result is not None and result.problem is None for result in results)
    assert [len(result.batches) for result in results if result] == [len(warm_up_script().batches)] * 2


def test_an_engine_that_has_a_run_declines_a_folder_until_the_run_has_ended(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    """Whoever is told nothing else would wait for it."""
    reports.ready(engine)
    topic = bench.topic("in")
    run = bench.run(COUNTS, {"s": (topic, CONTRACT)}, engine_id=engine.engine_id)
    bench.publish(run)
    reports.state(run, "running", engine=engine)
    declined = folder_of(bench, uuid.uuid4().hex[:12], 1)
    reader = bench.reader(ANSWERS_TOPIC)
    send(bench, ask_to_play(engine, declined.path.name))
    served_later = ask_for(engine.engine_id)
    send(bench, served_later)
    wait_until(
        lambda: any(served_later.ask_id.encode() in (seen.value or b"") for seen in reader.new()),
        120,
        "an ask behind it is answered",
        engine.tail,
    )
    reader.close()
    assert declined.is_declined
    assert declined.waiting() == [0]
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")
    reports.idle(engine)  # its thread ends a moment after the report
    accepted = folder_of(bench, uuid.uuid4().hex[:12], 1)
    send(bench, ask_to_play(engine, accepted.path.name))
    wait_until(lambda: not accepted.waiting(), 120, "it is played", engine.tail)
    bench.publish(run.run_id)
