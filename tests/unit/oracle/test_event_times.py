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
