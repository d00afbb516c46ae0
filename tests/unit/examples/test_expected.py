"""The templates' expected results over a few records are those worked out by hand."""

import json
from collections import Counter
from decimal import Decimal
from typing import Any

from examples.clicks.expected import expected as clicks
from examples.errors.expected import expected as errors
from examples.feed import Due
from examples.fraud.expected import expected as fraud
from examples.pages.expected import expected as pages
from examples.sensors.expected import expected as sensors
from examples.unclicked.expected import expected as unclicked


def sent(topic: str, *rows: dict[str, Any]) -> list[Due]:
    return [Due(0.0, None, json.dumps(row).encode(), topic) for row in rows]


def profile(user: str, region: str | None) -> list[Due]:
    key = json.dumps({"user": user}).encode()
    after = None if region is None else {"user": user, "region": region, "plan": None}
    return [Due(0.0, key, json.dumps({"op": "u", "after": after}).encode(), "profiles")]


def test_clicks_within_a_second_with_the_newest_profile() -> None:
    # The contract's 6.3: z is too far, q is before its view.
    views = sent("page_views", {"user": "u1", "page": "A", "at": 0}, {"user": "u2", "page": "B", "at": 200})
    words = (("u1", "x", 800), ("u1", "y", 1000), ("u1", "z", 1001), ("u2", "q", 100), ("u2", "r", 1200))
    searches = sent("searches", *({"user": user, "words": text, "at": at} for user, text, at in words))
    profiles = [*profile("u1", "US"), *profile("u1", "EU"), *profile("u2", "EU"), *profile("u2", None)]
    gone = [Due(0.0, b'{"user":"u2"}', None, "profiles")]
    found = clicks([*profiles, *gone, *views, *searches])
    assert found == Counter(
        {("u1", "A", "x", "EU", None): 1, ("u1", "A", "y", "EU", None): 1, ("u2", "B", "r", None, None): 1}
    )


def test_unclicked_searches_have_no_click_within_half_a_minute() -> None:
    searches = sent(
        "shop_searches", *({"search": name, "user": "u", "words": "w", "at": 1_000} for name in "abcd")
    )
    clicked = (("a", 1_000), ("b", 31_000), ("c", 31_001), ("d", 999))
    clicks = sent("shop_clicks", *({"search": name, "item": "i", "at": at} for name, at in clicked))
    assert unclicked([*searches, *clicks]) == {"c": (1_000, "u", "w"), "d": (1_000, "u", "w")}


def test_fraud_counts_the_minute_up_to_each_payment() -> None:
    paid = [
        (0, "1.00"),
        (59_000, "1.00"),
        (59_500, "1.00"),
        (59_600, "1.00"),
        (59_999, "1.00"),
        (60_000, "3000.00"),
        (200_000, "3000.00"),
    ]
    rows = ({"card": "c", "amount": amount, "place": "P" if at else "Q", "at": at} for at, amount in paid)
    # At 60,000 the payment at 0 is a minute old and out; 3,000 alone, at 200,000, is not more than 3,000.
    assert fraud(sent("card_payments", *rows)) == {
        ("c", 59_999): (5, Decimal("5.00"), 2),
        ("c", 60_000): (5, Decimal("3004.00"), 1),
    }


def test_sensors_compare_half_minutes_and_find_runs() -> None:
    readings = [
        (0, 40.0, 0.1),
        (15_000, 42.0, 0.5),
        (30_000, 44.0, 0.5),
        (45_001, 48.0, 0.2),
        (120_000, 90.0, 0.2),
    ]
    rows = (
        {"machine": "m", "temperature": degrees, "vibration": shake, "at": at}
        for at, degrees, shake in readings
    )
    warming, runs = sensors(sent("machine_readings", *rows))
    assert warming == {("m", 30_000): (46.0, 41.0)}  # nothing came in the half minute before 120,000
    assert runs == {
        ("m", 0, 45_000): (3, 44.0, 30_000),
        ("m", 45_001, 60_001): (1, 48.0, 45_001),
        ("m", 120_000, 135_000): (1, 90.0, 120_000),
    }


def test_errors_are_counted_and_passed_on() -> None:
    lines = [
        ("cart", "ERROR", "x", 1_000),
        ("cart", "FATAL", "y", 9_999),
        ("cart", "INFO", "z", 5_000),
        ("cart", "ERROR", "x", 10_000),
    ]
    rows = (
        {"service": service, "level": level, "message": text, "at": at} for service, level, text, at in lines
    )
    counts, passed = errors(sent("log_lines", *rows))
    assert counts == {(0, "cart"): (2, 1, "y"), (10_000, "cart"): (1, 0, "x")}
    assert passed == Counter([lines[0], lines[1], lines[3]])


def test_pages_of_the_hours_that_end_after_each_minute() -> None:
    hits = [("a", 0), ("b", 59_999), ("b", 60_000), ("c", 60_000)]
    found = pages(sent("page_hits", *({"page": page, "at": at} for page, at in hits)))
    assert sorted(found) == list(range(60_000, 3_720_000, 60_000))
    assert found[60_000] == [("b", 1), ("a", 1)]  # of equal counts the later in the alphabet first
    assert found[3_600_000] == [("b", 2), ("c", 1), ("a", 1)]
    assert found[3_660_000] == [("c", 1), ("b", 1)]
