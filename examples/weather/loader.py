"""Sends flights and weather to Kafka in the order of their times, at a multiple of real time."""

import argparse
import heapq
import itertools
import json
from collections.abc import Iterator
from datetime import datetime

from examples.command import encoded
from examples.feed import Due, Feed
from examples.flights.loader import next_number
from examples.flights.source import COUNT, LOOP, Flight, flights
from examples.kafka import add_bootstrap
from examples.weather.source import Observation, observations

FIELDS = ("number", "departed_at", "carrier", "flight", "origin", "dest", "dep_delay")


def due(first: int, passes: int, speed_up: float) -> Iterator[Due]:
    """Flights from number `first` on, at their scheduled departure, and the weather from that pass on.

    The weather of hours before the first flight comes at once, so that it is known when the flight leaves.

    Args:
        first: number of the first flight to give.
        passes: how often to go through the year in all; 0 for ever.
        speed_up: how many times faster than 2013; 0: all at once.
    """
    start: datetime | None = None
    for turn in itertools.count(first // COUNT) if passes == 0 else range(first // COUNT, passes):
        begin = max(first, turn * COUNT)
        departing = ((flight.scheduled, 1, flight) for flight in flights(begin, turn + 1))
        observed = ((weather.at, 0, weather) for weather in observations(turn * LOOP))
        start = start or next(flights(begin, turn + 1)).scheduled
        for at, _, event in heapq.merge(departing, observed, key=lambda item: item[:2]):
            seconds = (at - start).total_seconds() / speed_up if speed_up > 0 else 0.0
            yield _record(max(seconds, 0.0), event)


def _record(at: float, event: Flight | Observation) -> Due:
    if isinstance(event, Observation):
        return Due(at, encoded({"origin": event.origin}), event.value, "weather")
    values = json.loads(event.value)
    return Due(at, event.origin.encode(), encoded({name: values[name] for name in FIELDS}), "departures")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_bootstrap(parser)
    parser.add_argument(
        "--speed-up",
        type=float,
        default=3600,
        help="how many times faster than 2013 was; 0: as fast as the broker takes them",
    )
    parser.add_argument(
        "--passes", type=int, default=0, help="end after so many times through the year; 0: never"
    )
    options = parser.parse_args()
    feed = Feed(options.bootstrap)
    feed.stop_on_signals()
    first = next_number(options.bootstrap, "departures")
    print(
        f"flights from number {first:,} on and their weather, at {options.speed_up:g} times the real speed",
        flush=True,
    )
    sent = feed.send(due(first, options.passes, options.speed_up))
    print(f"{sent:,} records sent", flush=True)


if __name__ == "__main__":
    main()
