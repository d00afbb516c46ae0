"""Records in batches of every compression that Kafka has: each needs a library of its own in the JVM."""

import json

import pytest
from confluent_kafka import Producer

from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(600)]

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
EACH = 200


def test_every_compression_is_read(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    for codec in CODECS:
        producer = Producer(
            {"bootstrap.servers": bench.kafka.bootstrap, "compression.type": codec, "linger.ms": 100}
        )
        for number in range(EACH):
            producer.produce(topic, json.dumps({"at": START + number * SECOND, "k": codec}), partition=0)
        assert producer.flush(20) == 0
    run = bench.run(COUNTS, {"s": (topic, CONTRACT)}, engine_id=engine.engine_id)
    results = bench.results(run)
    bench.publish(run)

    def counted() -> dict[str, int]:
        rows = list(results.read().values())
        return {codec: sum(row["n"] for row in rows if row["k"] == codec) for codec in CODECS}

    wait_until(lambda: counted() == dict.fromkeys(CODECS, EACH), 120, "all are counted", counted)
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()
