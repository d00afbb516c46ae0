"""Flights joined with the weather on Spark are what pandas' own as-of join gives over the whole files."""

from collections import Counter
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from examples.feed import Due
from examples.flights.source import flights
from examples.weather.expected import expected
from examples.weather.loader import due
from tests.integration.examples.test_templates import by_source, opened

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1_200)]

OBSERVED = ("temp", "humid", "wind_speed", "wind_gust", "precip", "visib")
HOUR = 3_600  # seconds of 2013 that pass in a second of the loader's
YEAR_HOURS = 366 * 24


@pytest.mark.parametrize(
    ("hours", "batch_hours"),
    [pytest.param(36, 12, id="a day and a half"), pytest.param(YEAR_HOURS, 14 * 24, id="the year")],
)
def test_each_flight_has_the_weather_of_its_departure(spark: SparkSession, tmp_path: Path, hours: int, batch_hours: int) -> None:
    # The weather goes on for a day more: flights leave up to 22 hours after their turn.
    known = takewhile(lambda record: record.at < hours + 24, due(0, 1, HOUR))
    sent = [record for record in known if record.topic == "weather" or record.at < hours]
    found = play(spark, tmp_path, sent, batch_hours)
    first = next(flights()).scheduled
    wanted = expected()
    wanted = wanted[wanted["scheduled_at"] < first + timedelta(hours=hours)]
    assert len(wanted) > 20 * hours
    assert Counter(_shown(row) for row in found) == Counter(_computed(row) for row in wanted.to_dict("records"))


def play(spark: SparkSession, folder: Path, sent: list[Due], batch_hours: int) -> list[dict[str, Any]]:
    """The rows after the records were played in order, and the watermark passed them all."""
    played, source_of = opened(spark, folder, "weather")
    try:
        for start in range(0, int(sent[-1].at) + 1, batch_hours):
            played.batch(by_source([record for record in sent if start <= record.at < start + batch_hours], source_of))
        later = [_a_year_later(record) for record in (_last(sent, "departures"), _last(sent, "weather"))]
        for batch in (by_source(later, source_of), {}, {}):
            contents = played.batch(batch)
    finally:
        played.stop()
    return list(contents["live"].values())


def _last(sent: list[Due], topic: str) -> Due:
    """The newest record of a topic that has an event time."""
    return next(record for record in reversed(sent) if record.topic == topic and b'"departed_at":null' not in (record.value or b""))


def _a_year_later(record: Due) -> Due:
    assert record.value is not None
    return Due(
        record.at, record.key, record.value.replace(b'_at":"2013', b'_at":"2015').replace(b'_at":"2014', b'_at":"2015'), record.topic
    )


def _shown(row: dict[str, Any]) -> tuple[Any, ...]:
    facts = (row["carrier"], row["flight"], row["origin"], row["dest"], _seconds(row["departed_at"]), row["dep_delay"])
    return (*facts, _seconds(row["observed_at"]), *(row[name] for name in OBSERVED))


def _computed(row: dict[str, Any]) -> tuple[Any, ...]:
    facts = (row["carrier"], row["flight"], row["origin"], row["dest"], _seconds(row["departed_at"]), int(row["dep_delay"]))
    return (*facts, _seconds(row["observed_at"]), *(None if pd.isna(row[name]) else row[name] for name in OBSERVED))


def _seconds(at: Any) -> int | None:
    return None if at is None or pd.isna(at) else int(pd.Timestamp(at).timestamp())
