from datetime import UTC, date, datetime, timedelta
from importlib import resources
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, reset_tzpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.base.durations import Duration, DurationTextError, parse_duration
from jobs.base.instants import MAX_INSTANT, Instant, datetime_of, instant_of, instant_text
from jobs.base.iso_times import read_date, read_instant
from jobs.base.time_zones import is_zone, zone_named


@pytest.mark.parametrize(
    ("text", "us", "shown"),
    [
        ("5s", 5_000_000, "5s"),
        ("250ms", 250_000, "250ms"),
        ("1h30m", 5_400_000_000, "1h30m"),
        ("90m", 5_400_000_000, "1h30m"),
        ("1w", 604_800_000_000, "1w"),
        ("24h", 86_400_000_000, "1d"),
        ("0s", 0, "0s"),
        ("-5s", -5_000_000, "-5s"),
        (" 7us ", 7, "7us"),
        ("5 s", 5_000_000, "5s"),
        ("5min", 300_000_000, "5m"),
        ("1.5s", 1_500_000, "1s500ms"),
        ("1 h 30 min", 5_400_000_000, "1h30m"),
    ],
)
def test_durations(text: str, us: int, shown: str) -> None:
    assert parse_duration(text) == Duration(us)
    assert str(Duration(us)) == shown


@pytest.mark.parametrize(
    "text",
    ["", "5", "s", "5S", "5s5", "--5s", "1h-5m", "5 minutes", ".5s", "5.s", "0.1us", "1000000000000000s"],
)
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(DurationTextError):
        parse_duration(text)


@given(st.integers(-(10**17), 10**17))
def test_a_duration_reads_its_own_text(us: int) -> None:
    assert parse_duration(str(Duration(us))) == Duration(us)


@given(st.integers(-62_135_596_800_000_000, MAX_INSTANT - 1))
def test_an_instant_reads_its_own_text(us: int) -> None:
    instant = Instant(us)
    assert read_instant(instant_text(instant)) == instant
    assert instant_of(datetime_of(instant)) == instant
    assert len(instant_text(instant)) == 27


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-01-01", "2026-01-01T00:00:00.000000Z"),
        ("2026-01-01T10:00", "2026-01-01T10:00:00.000000Z"),
        ("2026-01-01 10:00:00.123456789Z", "2026-01-01T10:00:00.123456Z"),
        ("2026-01-01T10:00+02:00", "2026-01-01T08:00:00.000000Z"),
        (" 2026-01-01T10:00:00-18:00\n", "2026-01-02T04:00:00.000000Z"),
        ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_iso_texts(text: str, shown: str) -> None:
    instant = read_instant(text)
    assert instant is not None
    assert instant_text(instant) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10:00",
        "2026",
        "2026-1-01",
        "2026-02-30",
        "0000-01-01",
        "2026-01-01T",
        "2026-01-01T24:00",
        "2026-01-01T10:00:60",
        "2026-01-01Z",
        "2026-01-01T10:00:00+0200",
        "2026-01-01T10:00:00+18:01",
        "2026-01-01T10:00:00 UTC",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
        "２026-01-01",
    ],
)
def test_what_is_no_iso_text(text: str) -> None:
    assert read_instant(text) is None


def test_local_times_that_occur_twice_or_never() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert read_instant("2026-10-25T02:30", berlin) == instant_of(datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    assert read_instant("2026-03-29T02:30", berlin) == instant_of(datetime(2026, 3, 29, 1, 30, tzinfo=UTC))


def test_days() -> None:
    assert read_date("2024-02-29") == date(2024, 2, 29)
    assert [
        read_date(text) for text in ("2026-02-29", " 2026-01-01", "2026-01-01T00:00", "20260101", "")
    ] == [None] * 5


def test_the_rules_of_a_zone_are_not_those_of_the_system(tmp_path: Path) -> None:
    """A system may have other rules than Java's database, such as those of Amsterdam until 1940."""
    (tmp_path / "Europe").mkdir()
    other = resources.files("tzdata").joinpath("zoneinfo", "Asia", "Tokyo").read_bytes()
    (tmp_path / "Europe" / "Berlin").write_bytes(other)
    reset_tzpath(to=[str(tmp_path)])
    try:
        zone_named.cache_clear()
        ZoneInfo.clear_cache()
        assert datetime(2026, 7, 1, tzinfo=zone_named("Europe/Berlin")).utcoffset() == timedelta(hours=2)
        amsterdam = datetime(1930, 1, 1, tzinfo=zone_named("Europe/Amsterdam"))
        assert amsterdam.utcoffset() == timedelta(0)
    finally:
        reset_tzpath()
        ZoneInfo.clear_cache()


@pytest.mark.parametrize("name", ["ROC", "localtime", "../zones", "", "europe/berlin"])
def test_what_is_no_zone_has_no_rules(name: str) -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        zone_named(name)


def test_zones() -> None:
    assert [is_zone(name) for name in ("UTC", "Europe/Berlin", "+02:00", "europe/berlin", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]
