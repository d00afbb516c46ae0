"""Flights and weather are sent in order of time, and go on where they stopped."""

import json
from datetime import datetime
from itertools import islice

from examples.flights.source import COUNT as FLIGHTS
from examples.weather.loader import due
from examples.weather.source import COUNT, observations


def test_every_observation_is_sent_in_order() -> None:
    found = list(observations())
    assert len(found) == COUNT == 26_115
    assert [each.at for each in found] == sorted(each.at for each in found)


def test_weather_is_sent_before_the_flights_of_its_hour() -> None:
    newest: dict[str, datetime] = {}
    for record in islice(due(0, 1, 3_600), 5_000):
        values = json.loads(record.value or b"")
        if record.topic == "weather":
            newest[values["origin"]] = datetime.fromisoformat(values["observed_at"])
        elif values["departed_at"] is not None:
            behind = datetime.fromisoformat(values["departed_at"]) - newest[values["origin"]]
            # Hours without an observation occur; a flight may leave some minutes before its turn.
            assert behind.total_seconds() > -3_600


def test_goes_on_with_the_flight_that_comes_next_and_all_weather_of_its_year() -> None:
    first = [record for record in islice(due(FLIGHTS + 500, 0, 3_600), 2_000)]
    weather = [json.loads(record.value or b"") for record in first if record.topic == "weather"]
    flights = [json.loads(record.value or b"") for record in first if record.topic == "departures"]
    assert flights[0]["number"] == FLIGHTS + 500
    assert weather[0]["observed_at"] == "2013-12-31T06:00:00Z"
    assert all(record.at >= 0 for record in first)
