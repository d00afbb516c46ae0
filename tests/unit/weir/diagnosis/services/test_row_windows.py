"""Windows of rows in plain Python: which rows are in each, and how many that are before they are built."""

from random import Random

import pytest

from jobs.base.durations import Duration
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.windows import AnyWindow, WindowSpec
from weir.diagnosis.services.row_windows import memberships, windows_of

SECOND = 1_000_000
WINDOWS = [
    WindowSpec(Duration(10 * SECOND), Duration(10 * SECOND), Duration(0)),
    WindowSpec(Duration(10 * SECOND), Duration(3 * SECOND), Duration(SECOND)),
    SlidingSpec(Duration(5 * SECOND)),
    SessionSpec(Duration(2 * SECOND)),
]


@pytest.mark.parametrize("window", WINDOWS)
def test_how_many_rows_windows_hold_is_known_before(window: AnyWindow) -> None:
    """Exactly, or of windows that advance by a part of their size at most one more for each row."""
    times = [Random(3).randrange(60 * SECOND) for _ in range(200)]
    held = sum(map(len, windows_of(window, times).values()))
    assert held <= memberships(window, times) <= held + len(times)


def test_a_sliding_window_holds_the_rows_of_its_size_before_its_end() -> None:
    """In any order of the rows, and with equal times."""
    found = windows_of(SlidingSpec(Duration(5)), [9, 3, 9, 4, 8])
    assert {bounds: sorted(rows) for bounds, rows in found.items()} == {
        (-1, 4): [1],
        (0, 5): [1, 3],
        (4, 9): [3, 4],
        (5, 10): [0, 2, 4],
    }
