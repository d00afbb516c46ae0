"""A validator whose engine is killed: the reports of two engines add up exactly."""

from collections import Counter

import pytest

from jobs.formats import dead_letters as kept
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import ValidationReport
from tests.support.bad_records import CONTRACT, PARTITIONS, produce
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1500)]


def counted(reports: Reports, run_id: str) -> Counter[str]:
    """Records by classification, each range once, as the platform counts them."""
    found: Counter[str] = Counter()
    ends: dict[int, int] = {}
    for report in reports.all:
        if isinstance(report, ValidationReport) and report.run_id == run_id:
            for part in report.ranges:
                if part.first >= ends.get(part.partition, 0):
                    ends[part.partition] = part.last + 1
                    found.update({"valid": part.valid, **part.malformed})
    return found


def test_killed_in_the_middle_it_adds_up(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    topic = bench.topic("watched", PARTITIONS)
    produced = produce(bench.kafka.bootstrap, topic, 20_000)
    contract = StreamContract.model_validate(CONTRACT)
    document = {"sources": {"records": {"stream": "s"}}}
    run = bench.run(
        document, {"records": (topic, contract)}, task="validator", partitions=PARTITIONS, trigger_ms=200,
        **bench.dead_letter_topic(),
        max_rows_per_batch=2_000, engine_id=engine.engine_id,
    )  # fmt: skip
    try:
        bench.publish(run)
        reports.wait(
            "it counts",
            lambda report: isinstance(report, ValidationReport) and report.run_id == run.run_id,
            600,
            engine,
        )
    finally:
        engine.kill()
    reports.pump()  # all that it said before
    assert sum(counted(reports, run.run_id).values()) < produced.count, (
        "it was killed too late to prove anything"
    )
    engine.begin()
    try:
        bench.publish(run.model_copy(update={"epoch": 2, "revision": 2}))
        reports.wait(
            "all is counted",
            lambda _: sum(counted(reports, run.run_id).values()) >= produced.count,
            600,
            engine,
        )
    finally:
        bench.publish(run.run_id)
    assert counted(reports, run.run_id) == Counter({"valid": produced.valid, **produced.reasons})
    reader = bench.reader(run.result_topic)
    found = {
        (int(each.headers[kept.PARTITION]), int(each.headers[kept.OFFSET])): each for each in reader.to_end()
    }
    reader.close()
    assert {
        coordinates: (each.headers[kept.REASON], each.value) for coordinates, each in found.items()
    } == produced.bad
