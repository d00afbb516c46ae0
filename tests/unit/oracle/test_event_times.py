"""Event times by the rules of a contract."""

from typing import Any

import pytest

from tests.oracle.event_times import deletion_time, event_time

NOON = 1_767_268_800_000_000  # 2026-01-01T12:00:00Z
DAY = 86_400_000_000
HOUR = 3_600_000_000
SKIPPED = 1_325_239_200_000_000  # 2011-12-30T10:00:00Z: in Apia the midnight after the 29th, and of the 31st


def contract(type_: str, **rule: Any) -> dict[str, Any]:
    return {
        "fields": [{"name": "at", "type": type_, "nullable": True}],
        "event_time": {"kind": "field", "field": "at", **rule},
    }


@pytest.mark.parametrize(
    ("type_", "rule", "value", "expected"),
    [
        ("long", {"unit": "s"}, NOON // 1_000_000, NOON),
        ("long", {"unit": "ns"}, NOON * 1_000 + 999, NOON),
        ("decimal(16,6)", {"unit": "s"}, "1767268800.000001", NOON + 1),
        ("decimal(16,6)", {"unit": "ms"}, "0.000999", None),  # floored to 0, which is no event time
        ("double", {"unit": "s"}, 1767268800.5, NOON + 500_000),
        ("double", {"unit": "s"}, "NaN", None),
        ("double", {"unit": "s", "on_missing": "kafka_timestamp"}, "NaN", None),  # it is there, and no time
        ("timestamp", {}, "2026-01-01T13:00:00+01:00", NOON),
        ("string", {"format": "iso"}, "2026-01-01 12:00", NOON),
        ("string", {"format": "iso", "zone": "Europe/Berlin"}, "2026-01-01T13:00:00", NOON),
        ("string", {"format": "iso", "zone": "Europe/Berlin"}, "2026-01-01T13:00:00.000001+01:00", NOON + 1),
        ("string", {"format": "iso", "zone": "Europe/Berlin"}, "2026-01-01", NOON - 13 * HOUR),
        ("string", {"format": "iso"}, "noon", None),
        ("date", {}, "2026-01-01", NOON - 12 * HOUR),
        ("date", {"zone": "America/New_York"}, "2026-01-01", NOON - 7 * HOUR),
        ("date", {"zone": "Pacific/Apia"}, "2011-12-30", SKIPPED),
        ("date", {}, "1970-01-01", None),
        ("long", {"unit": "s"}, None, None),
        ("long", {"unit": "s", "on_missing": "kafka_timestamp"}, None, NOON + DAY),
    ],
)
def test_a_field_says_when(type_: str, rule: dict[str, str], value: Any, expected: int | None) -> None:
    assert event_time(contract(type_, **rule), {"at": value}, NOON + DAY) == expected


@pytest.mark.parametrize(("ahead", "expected"), [(HOUR, NOON), (HOUR + 1, None)])
def test_too_far_ahead_of_kafkas_timestamp_is_malformed(ahead: int, expected: int | None) -> None:
    bounded = {**contract("timestamp"), "max_ahead": "1h"}
    assert event_time(bounded, {"at": "2026-01-01T12:00:00Z"}, NOON - ahead) == expected


def test_a_deletion_has_the_time_of_its_key_or_kafkas() -> None:
    table = {**contract("long", unit="us"), "kind": "table"}
    assert deletion_time({**table, "key": ["at"]}, {"at": 7}, NOON) == 7
    assert deletion_time({**table, "key": ["k"]}, {"k": "a"}, NOON) == NOON


def corrected(**more: Any) -> dict[str, Any]:
    """A device's clock in s, when it sent in ms, and when that was received in µs."""
    fields = [{"name": name, "type": "long", "nullable": True} for name in ("at", "sent", "got")]
    rule = {"device": {"field": "at", "unit": "s"}, "sent": {"field": "sent", "unit": "ms"}, **more}
    return {"fields": fields, "event_time": {"kind": "corrected", **rule}}


def test_the_error_of_a_devices_clock_is_taken_out() -> None:
    at, sent = NOON // 1_000_000 - 60, NOON // 1_000 - 55_000  # 60 s slow; sent 5 s later
    values = {"at": at, "sent": sent, "got": NOON + 7}
    assert event_time(corrected(), values, NOON + 6_000_000) == NOON + 1_000_000
    received = {"received": {"field": "got", "unit": "us"}}
    assert event_time(corrected(**received), values, NOON + DAY) == NOON + 7 - 5_000_000
    for part in values:
        missing = {**values, part: None}
        assert event_time(corrected(**received), missing, NOON) is None
        assert event_time(corrected(**received, on_missing="kafka_timestamp"), missing, NOON) == NOON


def test_a_part_beyond_all_years_gives_no_time_even_if_the_sum_would() -> None:
    far = 300_000_000_000  # s
    assert event_time(corrected(), {"at": far, "sent": far * 1_000}, NOON) is None


def test_a_deletion_has_a_corrected_time_only_with_all_its_parts() -> None:
    table = {**corrected(), "kind": "table"}
    key = {"at": NOON // 1_000_000, "sent": NOON // 1_000}
    assert deletion_time({**table, "key": ["at", "sent"]}, key, NOON + DAY) == NOON + DAY
    assert deletion_time({**table, "key": ["at"]}, {"at": 7}, NOON) == NOON
