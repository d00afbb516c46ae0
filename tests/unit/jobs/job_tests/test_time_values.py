"""An event time in its field is read as the same instant, or refused."""

from typing import Any

import pytest

from jobs.base.instants import MAX_INSTANT, MIN_INSTANT, Instant
from jobs.base.types import DATE, parse_type
from jobs.formats.contract import StreamContract, TimeFormat
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from jobs.job_tests.document import parse_test
from jobs.job_tests.record_bytes import CannotWriteError
from jobs.job_tests.sending import batches_of
from jobs.job_tests.time_values import time_value

START = 1_767_261_600_000_000  # 2026-01-01T10:00:00Z


@pytest.mark.parametrize("encoding", ["json", "csv"])
@pytest.mark.parametrize(
    ("declared", "unit", "at_us"),
    [
        ("double", "s", 2_500_000),
        ("double", "s", 300_001),
        ("double", "ms", 1),
        ("double", "us", 1),
        ("double", "ns", 0),
        ("decimal(16,6)", "s", 2_500_001),
        ("decimal(11,1)", "s", 2_500_000),
        ("decimal(38,20)", "ms", 1),
        ("decimal(20,0)", "ns", 1),
        ("int", "s", 2_000_000),
        ("long", "ms", 2_500_000),
    ],
)
def test_a_time_in_a_number_is_read_as_that_time(encoding: str, declared: str, unit: str, at_us: int) -> None:
    contract = StreamContract.model_validate(
        {
            "fields": [{"name": "t", "type": declared}],
            "encoding": {"format": encoding},
            "event_time": {"kind": "field", "field": "t", "unit": unit},
        }
    )
    records = {"s": [{"at": f"{at_us}us", "values": {}}]}
    document = {"format": 1, "name": "t", "start": "2026-01-01T10:00:00Z", "batches": [{"records": records}]}
    test = parse_test(document).test
    assert test is not None
    (batch,), problems = batches_of(test, {"s": contract})
    assert problems == []
    (record,) = batch.records["s"]
    row = decode(record.value, record.key, contract, record.timestamp_us)
    assert isinstance(row, Row), row
    assert row.event_time == START + at_us


@pytest.mark.parametrize(
    ("declared", "unit", "instant", "message"),
    [
        ("int", "s", START + 1, "int in s, which has no such fraction"),
        ("int", "ms", START, "int in ms, which has no such number"),
        ("long", "ns", MAX_INSTANT - 1, "long in ns, which has no such number"),
        ("decimal(11,1)", "s", START + 10_000, r"decimal\(11,1\) in s, which has no such fraction"),
        ("decimal(10,1)", "s", START, r"decimal\(10,1\) in s, which has no such number"),
        ("double", "s", 250_000_000_000_000_001, "double in s, which would be read as 9892-.*000000Z"),
    ],
)
def test_a_number_that_does_not_hold_the_time_is_refused(
    declared: str, unit: Any, instant: int, message: str
) -> None:
    with pytest.raises(CannotWriteError, match=message):
        time_value(Instant(instant), TimeFormat(unit=unit), parse_type(declared))


@pytest.mark.parametrize(
    ("declared", "rule", "expected"),
    [
        ("timestamp", {}, "2026-01-01T10:00:00.000000Z"),
        ("date", {"zone": "Pacific/Honolulu"}, "2026-01-01"),
        ("string", {"format": "iso"}, "2026-01-01T10:00:00.000000Z"),
        ("long", {"unit": "s"}, START // 1_000_000),
        ("long", {"unit": "ns"}, START * 1_000),
        ("decimal(20,3)", {"unit": "s"}, "1767261600.000"),
    ],
)
def test_event_times_in_their_field(declared: str, rule: dict[str, str], expected: Any) -> None:
    fields = [{"name": "at", "type": declared}]
    contract = StreamContract.model_validate(
        {"fields": fields, "event_time": {"kind": "field", "field": "at", **rule}}
    )
    (field,) = contract.schema_of_rows
    assert time_value(START, contract.event_time, field.type) == expected


@pytest.mark.parametrize(
    ("declared", "rule"),
    [
        ("string", {"format": "dd.MM.yyyy"}),
        ("int", {"unit": "s"}),
        ("long", {"unit": "s"}),
        ("decimal(16,5)", {"unit": "s"}),
        ("decimal(38,0)", {"unit": "ms"}),
        ("date", {"zone": "Pacific/Honolulu"}),
    ],
)
def test_event_times_that_cannot_be_written(declared: str, rule: dict[str, str]) -> None:
    fields = [{"name": "at", "type": declared}]
    contract = StreamContract.model_validate(
        {"fields": fields, "event_time": {"kind": "field", "field": "at", **rule}}
    )
    (field,) = contract.schema_of_rows
    with pytest.raises(CannotWriteError):
        time_value(START + 1, contract.event_time, field.type)


def test_a_date_that_its_zone_moves_out_of_the_calendar_is_refused() -> None:
    rule = TimeFormat(zone="Pacific/Honolulu")
    with pytest.raises(CannotWriteError, match=r"midnight \(Pacific/Honolulu\)"):
        time_value(MIN_INSTANT, rule, DATE)
