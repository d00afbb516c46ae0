"""A validator classifies records as jobs and the browser do; dead letters hold the records byte for byte."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from jobs.engine.formats.decoding import decoded
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.listener import ProgressListener
from jobs.engine.progress import read_progress
from jobs.engine.topic_checks import find_lost_topic
from jobs.engine.validator import classify, start_validator
from jobs.formats import dead_letters as kept
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed, Skipped
from jobs.kafka_messages import DesiredRun, ValidatedRange
from tests.integration.engine.test_decoding import CASES, raw_frame, record_of
from tests.support.bad_records import CONTRACT, PARTITIONS, Produced, produce
from tests.support.processes import wait_until
from tests.support.record_tables import TABLES
from tests.support.spark_engine import Bench, Seen

pytestmark = pytest.mark.integration
DOCUMENT = {"sources": {"records": {"stream": "s"}}}


# The shared table covers browser and job; three groups are enough here, and `make test-long` runs all.
ENOUGH = {"json: form of the record", "heartbeat: a stream", "schema_json: held to a schema"}
SOME = [
    pytest.param(*case.values, id=str(case.id), marks=[] if case.id in ENOUGH else pytest.mark.long)
    for case in CASES
]


@pytest.mark.parametrize(("name", "group"), SOME)
def test_it_quarantines_what_jobs_skip(
    spark: SparkSession, bench: Bench, name: str, group: dict[str, Any]
) -> None:
    """All fields used, as by a job that requires contract validation."""
    contract = StreamContract.model_validate(group["contract"])
    records = [record_of(case) for case in group["cases"]]
    raw = raw_frame(spark, records, TABLES[name]["timestamp_us"])
    source = validator_run(bench, bench.topic("in"), contract).sources["records"]
    classes = [row["_class"] for row in classify(raw, "records", source).orderBy("_offset").collect()]
    reasons = (
        decoded(raw, contract, contract.schema_of_rows.names)
        .orderBy("_offset")
        .select("_reason", "_heartbeat")
    )
    jobs = [row["_reason"] or ("SKIPPED" if row["_heartbeat"] else "VALID") for row in reasons.collect()]
    assert classes == jobs
    browser = [
        decode(value, key, contract, TABLES[name]["timestamp_us"], headers=headers)
        for value, key, headers in records
    ]
    for validator_class, found in zip(classes, browser, strict=True):
        assert validator_class == (
            found.reason
            if isinstance(found, Malformed)
            else "SKIPPED"
            if isinstance(found, Skipped)
            else "VALID"
        )


def validator_run(bench: Bench, topic: str, contract: StreamContract, **more: Any) -> DesiredRun:
    return bench.run(
        DOCUMENT,
        {"records": (topic, contract)},
        task="validator",
        partitions=PARTITIONS,
        trigger_ms=200,
        **bench.dead_letter_topic(),
        **more,
    )


class Ledger:
    """Receives the counts of a validator."""

    def __init__(self) -> None:
        self.ranges: list[ValidatedRange] = []
        self.counted_records = 0  # records of committed batches
        self.malformed = 0
        self.refuse = False

    def counted(self, _batch: int, ranges: tuple[ValidatedRange, ...]) -> None:
        if self.refuse:
            raise RuntimeError("the broker did not take the counts")
        self.ranges += ranges

    @property
    def records(self) -> int:
        return sum(part.valid + part.skipped + sum(part.malformed.values()) for part in self.ranges)


def run_until(spark: SparkSession, bench: Bench, run: DesiredRun, ledger: Ledger, count: int) -> None:
    def heard(text: str) -> None:
        batch = read_progress(text, run)
        ledger.counted_records += batch.rows_in
        ledger.malformed += sum(batch.malformed.values())

    query = start_validator(
        spark, run, bench.home, ProgressListener(heard, lambda: None), ledger.counted, KafkaAdmins()
    )
    try:
        wait_until(
            lambda: ledger.counted_records >= count or not query.isActive,
            120,
            f"{count} records are counted and committed",
        )
    finally:
        query.stop()
    assert query.exception() is None


def by_coordinates(seen: list[Seen]) -> dict[tuple[int, int], Seen]:
    return {(int(each.headers[kept.PARTITION]), int(each.headers[kept.OFFSET])): each for each in seen}


def test_dead_letters_precede_counts_and_a_repeated_batch_is_the_same(
    spark: SparkSession, bench: Bench, tmp_path: Path
) -> None:
    topic = bench.topic("validated", PARTITIONS)
    contract = StreamContract.model_validate(CONTRACT)
    produced: Produced = produce(bench.kafka.bootstrap, topic, 3_000)
    run, ledger = validator_run(bench, topic, contract), Ledger()
    ledger.refuse = True  # as an engine that dies between writing its dead letters and reporting its counts
    query = start_validator(
        spark, run, bench.home, ProgressListener(lambda _: None, lambda: None), ledger.counted, KafkaAdmins()
    )
    wait_until(lambda: not query.isActive, 120, "the batch fails")
    assert "did not take the counts" in str(query.exception())
    reader = bench.reader(run.result_topic)
    first = reader.to_end()
    assert len(first) == len(produced.bad)

    ledger.refuse = False
    run_until(spark, bench, run, ledger, produced.count)
    produce(bench.kafka.bootstrap, topic, 1_000, seed=1, produced=produced)
    run_until(spark, bench, run, ledger, produced.count)

    assert ledger.records == produced.count
    spans = sorted((part.partition, part.first, part.last) for part in ledger.ranges)
    for (partition, _, last), (following, begins, _) in pairwise(spans):
        assert begins == (last + 1 if partition == following else 0)
    assert sum(part.valid for part in ledger.ranges) == produced.valid
    all_dead_letters = first + reader.to_end()
    reader.close()
    assert len(all_dead_letters) > len(produced.bad)  # written at least once …
    found = by_coordinates(all_dead_letters)
    assert found.keys() == produced.bad.keys()  # … and one per record for who reads them by their coordinates
    for coordinates, (reason, value) in produced.bad.items():
        dead_letter = found[coordinates]
        assert (dead_letter.value, dead_letter.headers[kept.REASON], dead_letter.headers[kept.KEY]) == (
            value,
            reason,
            f"key-{coordinates[1]}",
        )
        assert dead_letter.key == f'["{topic}",{coordinates[0]},{coordinates[1]}]'
    assert ledger.malformed == len(produced.bad)


@pytest.mark.parametrize("replaced", ["deleted", "another of its name"])
def test_nothing_is_written_to_a_topic_that_was_not_made_for_it(
    spark: SparkSession, bench: Bench, replaced: str, tmp_path: Path
) -> None:
    topic = bench.topic("validated", PARTITIONS)
    run, ledger = validator_run(bench, topic, StreamContract.model_validate(CONTRACT)), Ledger()
    if replaced == "deleted":
        admin = AdminClient({"bootstrap.servers": bench.kafka.bootstrap})
        admin.delete_topics([run.result_topic])[run.result_topic].result(10)
        wait_until(
            lambda: run.result_topic not in admin.list_topics(timeout=10).topics, 20, "the topic is gone"
        )
    else:
        run = run.model_copy(update={"result_topic_id": bench.kafka.topic_id(topic)})
    produced = produce(bench.kafka.bootstrap, topic, 200)
    assert produced.bad
    query = start_validator(
        spark, run, bench.home, ProgressListener(lambda _: None, lambda: None), ledger.counted, KafkaAdmins()
    )
    wait_until(lambda: not query.isActive, 120, "the batch fails")
    assert run.result_topic in str(query.exception())
    assert not ledger.ranges  # what is not kept is not counted either
    lost = find_lost_topic(run, KafkaAdmins(), bench.home)
    assert lost is not None
    assert (lost.code, lost.permanent) == (
        "TOPIC_NOT_FOUND" if replaced == "deleted" else "TOPIC_FOREIGN",
        True,
    )
    if replaced != "deleted":
        reader = bench.reader(run.result_topic)
        assert reader.to_end() == []
        reader.close()
