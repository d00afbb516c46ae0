"""The sent flights, compared with known numbers of the file and with the independent computation."""

import json
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import islice, pairwise

import pytest

from examples.flights.expected import departures, expected
from examples.flights.loader import due
from examples.flights.source import COUNT, LOOP, Flight, flights


@pytest.fixture(scope="module")
def one_pass() -> list[Flight]:
    return list(flights(passes=1))


@pytest.mark.long
def test_all_flights_are_sent_in_order_of_schedule(one_pass: list[Flight]) -> None:
    assert len(one_pass) == COUNT == 336_776
    assert [flight.number for flight in one_pass] == list(range(COUNT))
    assert all(earlier.scheduled <= later.scheduled for earlier, later in pairwise(one_pass))


@pytest.mark.long
def test_records_that_count_agree_with_the_independent_reading(one_pass: list[Flight]) -> None:
    records = [json.loads(flight.value) for flight in one_pass]
    counting = [record for record in records if record["departed_at"] is not None]
    assert len(records) - len(counting) == 8_255
    assert len(counting) == 328_521
    ours = sorted(
        (record["origin"], _seconds(record["departed_at"]), record["dep_delay"]) for record in counting
    )
    assert ours == sorted(departures())


@pytest.mark.long
def test_disorder_stays_within_the_delay(one_pass: list[Flight]) -> None:
    newest, worst = 0, 0
    for flight in one_pass:
        departed = json.loads(flight.value)["departed_at"]
        if departed is not None:
            newest = max(newest, _seconds(departed))
            worst = max(worst, newest - _seconds(departed))
    assert timedelta(hours=21) < timedelta(seconds=worst) < timedelta(days=1)


@pytest.mark.long
def test_expected_counts_every_departure_in_six_windows() -> None:
    per_origin: dict[str, int] = defaultdict(int)
    for (_, origin), (count, _) in expected().items():
        per_origin[origin] += count
    assert sum(per_origin.values()) == 6 * 328_521
    assert set(per_origin) == {"EWR", "JFK", "LGA"}


def test_next_pass_is_the_same_364_days_later() -> None:
    first, again = next(flights()), next(flights(first=COUNT))
    assert again.number == COUNT
    assert again.scheduled - first.scheduled == LOOP == timedelta(days=364)


@pytest.mark.long
def test_goes_on_where_it_stopped(one_pass: list[Flight]) -> None:
    assert list(islice(flights(first=200_000), 5)) == one_pass[200_000:200_005]


@pytest.mark.long
def test_speed_up_divides_the_time_between_departures(one_pass: list[Flight]) -> None:
    hour = timedelta(hours=1)
    chosen = [flight for flight in one_pass[:500] if flight.scheduled - one_pass[0].scheduled <= 2 * hour]
    times = [record.at for record in due(iter(chosen), 3600)]
    assert times[0] == 0.0
    assert times[-1] == (chosen[-1].scheduled - chosen[0].scheduled) / hour
    assert {record.at for record in due(iter(chosen), 0)} == {0.0}


def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())
