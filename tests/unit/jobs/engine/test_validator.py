"""Groups of a batch as ranges."""

from jobs.engine.validator import ranges_of
from jobs.kafka_messages import REPORT, ValidatedRange, ValidationReport


def test_every_record_of_a_range_is_counted_once() -> None:
    groups = [
        (1, "VALID", 7, 10, 20),
        (0, "VALID", 2, 5, 6),
        (1, "NOT_JSON", 2, 9, 21),
        (1, "SKIPPED", 1, 15, 15),
    ]
    groups.append((0, "VALUE_NULL", 1, 7, 7))
    assert ranges_of(groups) == (
        ValidatedRange(partition=0, first=5, last=7, valid=2, malformed={"VALUE_NULL": 1}),
        ValidatedRange(partition=1, first=9, last=21, valid=7, skipped=1, malformed={"NOT_JSON": 2}),
    )
    assert ranges_of([]) == ()


def test_counts_travel_as_a_report() -> None:
    said = ValidationReport(
        at_us=1,
        engine_id="e",
        incarnation="i",
        run_id="r",
        epoch=1,
        batch=3,
        topic_id="t",
        ranges=ranges_of([(0, "NOT_JSON", 1, 4, 4)]),
    )
    assert REPORT.validate_json(said.model_dump_json()) == said
