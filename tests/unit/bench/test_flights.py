"""The client has all flights when every window has its count, however often windows came before."""

from typing import Any

from bench.flights import Departures


def _row(window: str, origin: str, departures: int) -> dict[str, Any]:
    return {"window_start": f"2013-01-01T{window}:00.000000Z", "origin": origin, "departures": departures}


def test_complete_when_all_windows_have_their_counts() -> None:
    seen = Departures(total=5)
    for at, row in enumerate([_row("05:00", "JFK", 1), _row("05:00", "JFK", 3), _row("05:10", "JFK", 1)]):
        seen.row(row, at)
        assert not seen.complete.is_set()
    seen.row(_row("05:00", "EWR", 1), 7)
    assert seen.complete.is_set()
    seen.row(_row("05:00", "EWR", 1), 9)
    assert (seen.complete_us, seen.counted, seen.results) == (7, 5, 5)
