"""Flights joined with the weather on Spark equal pandas' as-of join over all records."""

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
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.integration.examples.test_templates import by_source, opened, read, texts
from tests.support.rendered_script import RenderedScript

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1_200)]

OBSERVED = ("temp", "humid", "wind_speed", "wind_gust", "precip", "visib")
HOUR = 3_600  # seconds of 2013 that pass in a second of the loader's
YEAR_HOURS = 366 * 24


@pytest.mark.parametrize(
    ("hours", "batch_hours"),
    [pytest.param(36, 12, id="a day and a half"), pytest.param(YEAR_HOURS, 14 * 24, id="the year")],
)
def test_each_flight_has_the_weather_of_its_departure(
    spark: SparkSession, tmp_path: Path, hours: int, batch_hours: int
) -> None:
    found = play(spark, tmp_path, sent_in(hours), batch_hours)
    assert Counter(map(_shown, found)) == Counter(_computed(row) for row in wanted_in(hours))


def test_a_script_gives_each_flight_the_weather_of_its_departure(spark: SparkSession, tmp_path: Path) -> None:
    hours = 36
    sent = sent_in(hours)
    document, contracts, source_of = read("weather")
    plan = plan_job(
        document, {name: StreamContract.model_validate(contract) for name, contract in contracts.items()}
    )
    script = RenderedScript(spark, tmp_path / "script", plan)
    later = [_a_year_later(record) for record in (_last(sent, "departures"), _last(sent, "weather"))]
    script.read(texts(by_source([*sent, *later], source_of)))
    assert Counter(map(_shown, script.rows("live"))) == Counter(_computed(row) for row in wanted_in(hours))


def sent_in(hours: int) -> list[Due]:
    """The records of so many hours, with a day more of weather.

    Flights leave up to 22 hours after their turn.
    """
    known = takewhile(lambda record: record.at < hours + 24, due(0, 1, HOUR))
    return [record for record in known if record.topic == "weather" or record.at < hours]


def wanted_in(hours: int) -> list[dict[str, Any]]:
    """What pandas' own as-of join gives for the flights of so many hours."""
    first = next(flights()).scheduled
    expected_rows = expected()
    expected_rows = expected_rows[expected_rows["scheduled_at"] < first + timedelta(hours=hours)]
    assert len(expected_rows) > 20 * hours
    return expected_rows.to_dict("records")  # type: ignore[no-any-return]


def play(spark: SparkSession, folder: Path, sent: list[Due], batch_hours: int) -> list[dict[str, Any]]:
    """The rows after the records were played in order, and the watermark passed them all."""
    played, source_of = opened(spark, folder, "weather")
    try:
        for start in range(0, int(sent[-1].at) + 1, batch_hours):
            played.batch(
                by_source([record for record in sent if start <= record.at < start + batch_hours], source_of)
            )
        later = [_a_year_later(record) for record in (_last(sent, "departures"), _last(sent, "weather"))]
        for batch in (by_source(later, source_of), {}, {}):
            contents = played.batch(batch)
    finally:
        played.stop()
    return list(contents["live"].values())


def _last(sent: list[Due], topic: str) -> Due:
    """The newest record of a topic that has an event time."""
    return next(
        record
        for record in reversed(sent)
        if record.topic == topic and b'"departed_at":null' not in (record.value or b"")
    )


def _a_year_later(record: Due) -> Due:
    assert record.value is not None
    return Due(
        record.at,
        record.key,
        record.value.replace(b'_at":"2013', b'_at":"2015').replace(b'_at":"2014', b'_at":"2015'),
        record.topic,
    )


def _shown(row: dict[str, Any]) -> tuple[Any, ...]:
    details = (
        row["carrier"],
        row["flight"],
        row["origin"],
        row["dest"],
        _seconds(row["departed_at"]),
        row["dep_delay"],
    )
    return (*details, _seconds(row["observed_at"]), *(row[name] for name in OBSERVED))


def _computed(row: dict[str, Any]) -> tuple[Any, ...]:
    details = (
        row["carrier"],
        row["flight"],
        row["origin"],
        row["dest"],
        _seconds(row["departed_at"]),
        int(row["dep_delay"]),
    )
    return (
        *details,
        _seconds(row["observed_at"]),
        *(None if pd.isna(row[name]) else row[name] for name in OBSERVED),
    )


def _seconds(at: Any) -> int | None:
    return None if at is None or pd.isna(at) else int(pd.Timestamp(at).timestamp())
