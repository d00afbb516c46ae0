"""Rows written to a topic as Avro read back equal, deletions and nulls included.

By Confluent's client, too.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
from django.core.cache import cache
from pyspark.sql import SparkSession
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from jobs.base.schemas import Schema, schema_from_json
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.avro_row_schema import row_schema, value_subject
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from jobs.kafka_messages import AvroTarget, DesiredRun, RunMode
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench
from tests.support.users import create_user, workspace_of
from weir.clusters.services.clusters import home_cluster
from weir.runs.services.output_schemas import register_written
from weir.runs.services.planning import plan_in
from weir.runs.services.run_publisher import ensure_system_topics
from weir.streams.models import Stream
from weir.workspaces.models import ApiToken

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

BEGAN = 1_767_261_600_000_000
TYPES = {
    "n": "long", "i": "int", "d": "double", "b": "boolean", "s": "string", "y": "bytes", "t": "timestamp",
    "day": "date", "p": "decimal(10,2)", "l": "array<long>", "m": "map<string,decimal(4,1)>",
    "r": "struct<a:int,b:array<struct<c:date>>>",
}  # fmt: skip
FULL = {
    "n": 5, "i": -7, "d": 1.5, "b": True, "s": "ž", "y": "AP8=", "t": "2026-01-01T00:00:00.000001Z",
    "day": "2026-02-28", "p": "12.30", "l": [1, None], "m": {"k": "2.5", "z": None},
    "r": {"a": None, "b": [{"c": "1969-12-31"}, None]},
}  # fmt: skip
AS_CONFLUENT_READS_IT = {
    "n": 5, "i": -7, "d": 1.5, "b": True, "s": "ž", "y": b"\x00\xff",
    "t": datetime(2026, 1, 1, microsecond=1, tzinfo=UTC),
    "day": date(2026, 2, 28), "p": Decimal("12.30"), "l": [1, None], "m": {"k": Decimal("2.5"), "z": None},
    "r": {"a": None, "b": [{"c": date(1969, 12, 31)}, None]},
}  # fmt: skip
FIELDS = [{"name": name, "type": kind} for name, kind in TYPES.items()]
CONTRACT = StreamContract.model_validate({"fields": FIELDS})
KEPT = {"kept": {"op": "filter", "input": "s", "where": "n > 0"}}


def document(source: dict[str, str]) -> dict[str, Any]:
    outputs = {
        "live": {"input": "kept", "to": "result"},
        "out": {"input": "kept", "to": {"topic": "out", "format": "avro"}},
    }
    return {"format": 1, "name": "avro", "sources": {"s": source}, "steps": KEPT, "outputs": outputs}


def writing(run: DesiredRun, topic: str, target: AvroTarget) -> DesiredRun:
    return run.model_copy(update={"topics": {"out": topic}, "avro": {"out": target}})


@contextmanager
def running(spark: SparkSession, bench: Bench, run: DesiredRun) -> Iterator[Any]:
    query = start_query(
        spark, run, plan_of(run), bench.home, ProgressListener(lambda progress: None, threading.Event().set)
    )
    try:
        yield query
    finally:
        query.stop()


def values(bench: Bench, topic: str, count: int, query: Any) -> list[bytes | None]:
    """Values of the topic once so many are there; None for a deletion."""
    reader, found = bench.reader(topic), []

    def arrived() -> bool:
        assert query.exception() is None, query.exception()
        found.extend(reader.new())
        return len(found) >= count

    try:
        wait_until(arrived, 300, "rows arrive in the topic")
    finally:
        reader.close()
    return [seen.value for seen in found]


def rows_of(found: list[bytes | None], schema: Schema, text: str) -> list[Any]:
    encoding = {"format": "avro", "schema": text, "framing": "confluent", "writers": {7: text}}
    contract = StreamContract.model_validate(
        {"encoding": encoding, "fields": [{"name": f["name"], "type": f["type"]} for f in schema.as_json()]}
    )
    rows = [None if value is None else decode(value, None, contract, BEGAN) for value in found]
    return [row.as_json() if isinstance(row, Row) else row for row in rows]


@pytest.mark.parametrize("mode", ["realtime", pytest.param("microbatch", marks=pytest.mark.long)])
def test_every_type_is_read_back(spark: SparkSession, bench: Bench, mode: RunMode) -> None:
    source, topic = bench.topic("source"), bench.topic("out")
    schema = schema_from_json(FIELDS)
    text = row_schema(schema, topic)
    run = writing(
        bench.run(document({"stream": "s"}), {"s": (source, CONTRACT)}, mode),
        topic,
        AvroTarget(text=text, schema_id=7),
    )
    bench.produce(source, [(BEGAN, FULL), (BEGAN + 1_000, {"n": 6})])
    with running(spark, bench, run) as query:
        rows = rows_of(values(bench, topic, 2, query), schema, text)
    assert rows == [FULL, {**dict.fromkeys(TYPES), "n": 6}]


NAMES = {"n": "N", "s": ["text", "S"], "r": ["text", "inner", "r"], "l": ["text", "l"], "p": "n", "d": "_id"}
NESTED = {
    **{name: [name] for name in TYPES},
    **{name: [path] if isinstance(path, str) else path for name, path in NAMES.items()},
}


@pytest.mark.parametrize("form", ["avro", "json"])
def test_fields_under_other_names_are_read_back_by_a_contract_with_paths(
    spark: SparkSession, bench: Bench, form: str
) -> None:
    """Names that differ in case, swapped names, nested objects, and JSON names that are invalid in Avro."""
    source, topic = bench.topic("source"), bench.topic("out")
    names = (
        NAMES
        if form == "avro"
        else {**NAMES, "b": "", "i": "a.b", "y": ["o'clock", "${env:HOME}", "`\\"], "t": "@timestamp"}
    )
    paths = {name: [path] if isinstance(path, str) else path for name, path in (NESTED | names).items()}
    text = row_schema(schema_from_json(FIELDS), topic, {name: tuple(paths[name]) for name in NAMES})
    written = document({"stream": "s"})
    written["outputs"]["out"]["to"] = {"topic": "out", "format": form, "names": names}
    run = writing(bench.run(written, {"s": (source, CONTRACT)}), topic, AvroTarget(text=text, schema_id=7))
    bench.produce(source, [(BEGAN, FULL), (BEGAN + 1_000, {"n": 6})])
    with running(spark, bench, run) as query:
        found = values(bench, topic, 2, query)
    encoding = (
        {"format": "avro", "schema": text, "framing": "confluent", "writers": {7: text}}
        if form == "avro"
        else {"format": "json"}
    )
    fields = [{**field, "path": paths[field["name"]]} for field in FIELDS]
    contract = StreamContract.model_validate({"encoding": encoding, "fields": fields})
    rows = [decode(value, None, contract, BEGAN) for value in found]
    assert [row.as_json() if isinstance(row, Row) else row for row in rows] == [
        FULL,
        {**dict.fromkeys(TYPES), "n": 6},
    ]
    if form == "json":
        assert list(json.loads(found[0] or b"")) == [
            "N",
            "a.b",
            "_id",
            "",
            "text",
            "o'clock",
            "@timestamp",
            "day",
            "n",
            "m",
        ]


@pytest.mark.long
def test_deletions_stay_tombstones(spark: SparkSession, bench: Bench) -> None:
    """A filter over a table tells of rows that no longer pass."""
    source, topic = bench.topic("table"), bench.topic("out")
    fields = [{"name": "k", "type": "string", "nullable": False}, {"name": "n", "type": "long"}]
    table = StreamContract.model_validate(
        {"kind": "table", "key": ["k"], "key_encoding": {"format": "text"}, "fields": fields}
    )
    schema = schema_from_json(fields)
    text = row_schema(schema, topic)
    run = writing(
        bench.run(document({"table": "s"}), {"s": (source, table)}), topic, AvroTarget(text=text, schema_id=7)
    )
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap})
    for key, value in ((b"a", b'{"n":1}'), (b"b", b'{"n":0}'), (b"a", None)):
        producer.produce(source, key=key, value=value)
    assert producer.flush(20) == 0
    with running(spark, bench, run) as query:
        rows = rows_of(values(bench, topic, 3, query), schema, text)
    assert rows == [{"k": "a", "n": 1}, None, None]


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
def test_confluents_own_deserializer_reads_it(
    spark: SparkSession, bench: Bench, live_server: LiveServer, settings: Settings
) -> None:
    """The schema comes from our registry over HTTP, by the id in the frame, as a start has registered it."""
    settings.KAFKA_BOOTSTRAP_SERVERS = bench.kafka.bootstrap
    cache.clear()
    ensure_system_topics()
    owner = create_user("ann")
    workspace = workspace_of(owner, "writers")
    source, topic = bench.topic("source"), bench.topic("out")
    for name, of in (("s", source), ("out", topic)):
        Stream.objects.create(
            workspace=workspace,
            name=name,
            cluster=home_cluster(),
            topic=of,
            topic_id="t",
            partitions=1,
            contract=CONTRACT.model_dump(mode="json"),
        )
    plan = plan_in(workspace, document({"stream": "s"}))
    targets = register_written(workspace, plan, "ann")
    run = writing(
        bench.run(document({"stream": "s"}), {"s": (source, CONTRACT)}, workspace="writers"),
        topic,
        targets["out"],
    )
    bench.produce(source, [(BEGAN, FULL), (BEGAN + 1_000, {"n": 6})])
    with running(spark, bench, run) as query:
        found = values(bench, topic, 2, query)
    _, token = ApiToken.objects.create(user=owner)
    configuration = {"url": f"{live_server.url}/registry/writers", "basic.auth.user.info": f"token:{token}"}
    with SchemaRegistryClient(configuration) as client:
        read = AvroDeserializer(client)
        context = SerializationContext(topic, MessageField.VALUE)
        assert [read(value, context) for value in found] == [
            AS_CONFLUENT_READS_IT,
            {**dict.fromkeys(TYPES), "n": 6},
        ]
        assert client.get_latest_version(value_subject(topic)).schema_id == targets["out"].schema_id
