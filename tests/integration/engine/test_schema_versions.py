"""A running query reads a new version of a subject, registered over HTTP, without a restart."""

import json
import threading
import time
from io import BytesIO
from typing import Any

import fastavro
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from django.core.cache import cache
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pytest_django import Settings

from jobs.connections import ClusterProfile
from jobs.engine.failures import failure_of
from jobs.engine.formats import writer_schemas
from jobs.engine.formats.native import decoder_spec
from jobs.engine.formats.writer_schemas import SchemasUnreachableError, WriterSchemas
from jobs.engine.listener import ProgressListener
from jobs.engine.observation import separated
from jobs.engine.progress import malformed as malformed_of
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.kafka_messages import SCHEMAS_TOPIC, SCHEMAS_WHOLE_KEY, WriterSchema, schema_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench
from tests.support.users import client_of, create_user, workspace_of
from weir.runs.services.run_publisher import ensure_system_topics
from weir.schemas.services.contract_schemas import with_schemas
from weir.schemas.services.schema_publisher import publish_pending
from weir.streams.services.contracts import read_contract

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

ID, NOTE = {"name": "id", "type": "long"}, {"name": "note", "type": ["null", "string"], "default": None}
V1 = {"type": "record", "name": "Order", "fields": [ID]}
V2 = {"type": "record", "name": "Order", "fields": [NOTE, {"name": "id", "type": "int"}]}
STRANGE = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}
DOCUMENT = {
    "format": 1,
    "name": "orders",
    "sources": {"orders": {"stream": "orders"}},
    "steps": {"kept": {"op": "filter", "input": "orders", "where": "id >= 0"}},
    "outputs": {"live": {"input": "kept", "to": "result"}},
}


def record(schema_id: int, schema: dict[str, Any], value: dict[str, Any]) -> bytes:
    out = BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return framed(schema_id, out.getvalue())


def test_a_later_version_arrives_without_a_restart(
    spark: SparkSession, bench: Bench, settings: Settings
) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS = bench.kafka.bootstrap
    cache.clear()
    ensure_system_topics()
    publish_pending()
    owner = create_user("ann")
    workspace, client = workspace_of(owner, "orders"), client_of(owner)

    def register(schema: dict[str, Any], **more: str) -> int:
        address = (
            f"/registry/orders/subjects/orders-value/versions?{'&'.join(f'{k}={v}' for k, v in more.items())}"
        )
        answer = client.post(
            address, data=json.dumps({"schema": json.dumps(schema)}), content_type="application/json"
        )
        assert answer.status_code == 200, answer.json()
        return int(answer.json()["id"])

    first = register(V1)
    contract = {
        "encoding": {"format": "avro", "subject": "orders-value", "framing": "confluent"},
        "fields": [{"name": "id", "type": "long"}],
    }
    topic = bench.topic("orders")
    run = bench.run(
        DOCUMENT, {"orders": (topic, read_contract(with_schemas(workspace, contract)))}, workspace="orders"
    )
    bench.produce(topic, [(1_767_261_600_000_000, record(first, V1, {"id": 1}))])
    malformed: list[int] = []
    heard = ProgressListener(lambda text: malformed.append(_malformed(text)), threading.Event().set)
    query = start_query(spark, run, plan_of(run), bench.home, heard)
    results = bench.results(run)

    def arrived(expected: list[int]) -> bool:
        assert query.exception() is None, query.exception()
        return sorted(row["id"] for row in results.read().values()) == expected

    try:
        wait_until(lambda: arrived([1]), 120, "the first version's row arrives")
        began, second = query.runId, register(V2, force="true")
        bench.produce(
            topic, [(1_767_261_601_000_000 + n, record(second, V2, {"note": "n", "id": n})) for n in (2, 3)]
        )
        asked = time.monotonic()
        wait_until(lambda: arrived([1, 2, 3]), 60, "the second version's rows arrive")
        print(f"rows of a new version after {time.monotonic() - asked:.2f} s")
        # Unknown ids and versions that do not fit are counted one by one; what stands between them arrives.
        strange = register(STRANGE, force="true")
        bodies = [record(900 + n, V1, {"id": 7}) for n in range(5)]
        bodies += [record(strange, STRANGE, {"id": "x"}), record(second, V2, {"note": None, "id": 4})]
        bench.produce(topic, [(1_767_261_602_000_000 + n, body) for n, body in enumerate(bodies)])
        wait_until(lambda: arrived([1, 2, 3, 4]), 60, "the good row between bad ones arrives")
        wait_until(
            lambda: sum(malformed) == 6, 30, f"six records are counted as malformed, not {sum(malformed)}"
        )
        assert (query.runId, query.isActive) == (began, True)
    finally:
        query.stop()
        results.close()


def _malformed(text: str) -> int:
    return sum(malformed_of(separated(json.loads(text))).values())


@pytest.fixture
def schemas(bench: Bench, settings: Settings) -> Producer:
    settings.KAFKA_BOOTSTRAP_SERVERS = bench.kafka.bootstrap
    cache.clear()
    ensure_system_topics()
    publish_pending()
    return Producer({"bootstrap.servers": bench.kafka.bootstrap})


def say(producer: Producer, workspace: str, number: int, text: str | None) -> None:
    value = None if text is None else WriterSchema(text=text).model_dump_json()
    producer.produce(SCHEMAS_TOPIC, key=schema_key(workspace, number), value=value)
    assert producer.flush(10) == 0


def test_a_batch_reads_on_once(bench: Bench, schemas: Producer, monkeypatch: pytest.MonkeyPatch) -> None:
    writers = WriterSchemas(bench.home, "reading")
    say(schemas, "reading", 1, "a")
    say(schemas, "readin", 2, "other")
    schemas.produce(SCHEMAS_TOPIC, key="reading/7", value=b"\xff no json")
    batch = writers.of_batch()
    assert [batch(1), batch(2), batch(7)] == ["a", None, None]
    say(schemas, "reading", 2, "b")
    assert batch(2) is None  # of this batch's records none can have it
    assert writers.of_batch()(2) == "b"
    monkeypatch.setattr(WriterSchemas, "_read_on", lambda self, known: pytest.fail("known ids ask nobody"))
    assert writers.of_batch()(1) == "a"


def test_a_schema_that_is_gone_is_forgotten_with_the_next_look(bench: Bench, schemas: Producer) -> None:
    writers = WriterSchemas(bench.home, "forgetting")
    say(schemas, "forgetting", 1, "a")
    assert writers.of_batch()(1) == "a"
    say(schemas, "forgetting", 1, None)
    batch = writers.of_batch()
    assert (batch(2), batch(1)) == (None, None)


def test_schemas_of_a_topic_that_took_the_place_of_another(spark: SparkSession, bench: Bench) -> None:
    """Shorter than the one before, and longer."""
    topic = bench.topic("schemas")
    producer, admin = (kind({"bootstrap.servers": bench.kafka.bootstrap}) for kind in (Producer, AdminClient))
    schema = json.dumps(V1)
    encoding = {"format": "avro", "schema": schema, "framing": "confluent"}
    contract = StreamContract.model_validate(
        {"encoding": encoding, "fields": [{"name": "id", "type": "long"}]}
    )
    java: Any = spark.sparkContext._jvm
    consumer = {"bootstrap.servers": bench.kafka.bootstrap}

    def reasons(*numbers: int) -> list[str | None]:
        """Of records of a batch, one of each writer."""
        source = java.weir.decode.WriterTopic(consumer, topic, "w/")
        decoder = java.weir.decode.AvroDecoder(decoder_spec(contract, contract.read_fields), source)
        rows = [decoder.decode(record(number, V1, {"id": 1})) for number in numbers]
        return [None if row.isNullAt(1) else row.getUTF8String(1).toString() for row in rows]

    def write(*numbers: int) -> None:
        for number in numbers:
            producer.produce(topic, key=f"w/{number}", value=WriterSchema(text=schema).model_dump_json())
        assert producer.flush(10) == 0

    def recreate() -> None:
        admin.delete_topics([topic])[topic].result(30)
        wait_until(lambda: topic not in admin.list_topics(timeout=10).topics, 30, "the topic is gone")
        bench.kafka.create_topic(topic, 1)

    def tell_whole() -> None:
        producer.produce(topic, key=SCHEMAS_WHOLE_KEY, value=b"{}")
        assert producer.flush(10) == 0

    write(1, 2, 3)
    tell_whole()
    assert reasons(1, 2, 3, 4) == [None, None, None, "SCHEMA_UNKNOWN"]
    recreate()
    write(4)
    assert reasons(4) == [None]
    with pytest.raises(Py4JJavaError, match="is being written anew"):
        reasons(4, 5)
    tell_whole()
    assert reasons(5, 1) == ["SCHEMA_UNKNOWN", "SCHEMA_UNKNOWN"]
    recreate()
    write(6, 7, 8)
    assert reasons(6, 7, 8) == [None, None, None]


def test_more_schemas_than_are_kept_are_read_again_as_they_are_asked_for(
    spark: SparkSession, bench: Bench
) -> None:
    topic = bench.topic("schemas")
    text = WriterSchema(text=json.dumps({**V1, "doc": "x" * 250_000})).model_dump_json()
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    for number in range(1, 91):  # of 22 million characters 20 million are kept
        producer.produce(topic, key=f"w/{number}", value=text)
    producer.produce(topic, key=SCHEMAS_WHOLE_KEY, value=b"{}")
    assert producer.flush(60) == 0
    encoding = {"format": "avro", "schema": json.dumps(V1), "framing": "confluent"}
    contract = StreamContract.model_validate(
        {"encoding": encoding, "fields": [{"name": "id", "type": "long"}]}
    )
    java: Any = spark.sparkContext._jvm
    source = java.weir.decode.WriterTopic({"bootstrap.servers": bench.kafka.bootstrap}, topic, "w/")
    decoder = java.weir.decode.AvroDecoder(decoder_spec(contract, contract.read_fields), source)
    for number in (90, 1, 45, 2, 1, 90):
        row = decoder.decode(record(number, V1, {"id": number}))
        assert row.isNullAt(1), row.getUTF8String(1).toString()
    assert decoder.decode(record(91, V1, {"id": 1})).getUTF8String(1).toString() == "SCHEMA_UNKNOWN"


def test_workers_notice_too_that_a_topic_took_the_place_of_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = bench.topic("schemas")
    monkeypatch.setattr(writer_schemas, "SCHEMAS_TOPIC", topic)
    writers = WriterSchemas(bench.home, "made anew")
    producer, admin = (kind({"bootstrap.servers": bench.kafka.bootstrap}) for kind in (Producer, AdminClient))

    def write(*numbers: int) -> None:
        for number in numbers:
            key = schema_key("made anew", number)
            producer.produce(topic, key=key, value=WriterSchema(text=f"{number}").model_dump_json())
        assert producer.flush(10) == 0

    write(1)
    assert writers.of_batch()(1) == "1"
    with pytest.raises(SchemasUnreachableError, match="is being written anew"):
        writers.of_batch()(2)
    admin.delete_topics([topic])[topic].result(30)
    wait_until(lambda: topic not in admin.list_topics(timeout=10).topics, 30, "the topic is gone")
    bench.kafka.create_topic(topic, 1)
    write(4, 5)  # more than there were
    producer.produce(topic, key=SCHEMAS_WHOLE_KEY, value=b"{}")
    assert producer.flush(10) == 0
    batch = writers.of_batch()
    assert [batch(number) for number in (4, 5, 1)] == ["4", "5", None]


def test_a_topic_that_cannot_be_read_is_no_malformed_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_schemas, "READ_TIMEOUT_S", 0.5)
    nobody = WriterSchemas(ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9"), "x")
    with pytest.raises(SchemasUnreachableError) as error:
        nobody.of_batch()(1)
    failure = failure_of(error.value)
    assert (failure.code, failure.permanent) == ("BROKER_UNREACHABLE", False)
