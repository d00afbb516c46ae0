"""What a count is compared with: nothing lost, nothing doubled, over all that was sent."""

from dataclasses import asdict
from pathlib import Path

import pytest

from bench.ledger import KEYS, Differences, Ledger, Window, WindowId, differences

BEGIN_US = 1_767_225_600_000_000
WINDOW_US = 10_000_000


def _ledger(folder: Path, instants: list[int]) -> Ledger:
    ledger = Ledger(folder / "ledger")
    ledger.sent_us[: len(instants)] = instants
    return ledger


def test_windows_hold_the_first_the_last_and_the_count_of_each_key(tmp_path: Path) -> None:
    ledger = _ledger(tmp_path, [BEGIN_US + number * 500_000 for number in range(31)])
    assert ledger.sent() == 31
    windows = ledger.windows(WINDOW_US)
    assert windows[BEGIN_US, 0] == Window(0, 10, 2)
    assert windows[BEGIN_US, 9] == Window(9, 19, 2)
    assert windows[BEGIN_US + WINDOW_US, 0] == Window(20, 30, 2)
    assert windows[BEGIN_US + WINDOW_US, 1] == Window(21, 21, 1)
    assert sum(window.count for window in windows.values()) == 31
    assert len(windows) == 2 * KEYS


def test_a_clock_that_goes_back_moves_an_event_into_the_window_before(tmp_path: Path) -> None:
    ledger = _ledger(tmp_path, [BEGIN_US, *[BEGIN_US] * 9, BEGIN_US - 1])
    assert ledger.windows(WINDOW_US)[BEGIN_US - WINDOW_US, 0] == Window(10, 10, 1)


def test_without_events_there_are_no_windows(tmp_path: Path) -> None:
    assert _ledger(tmp_path, []).windows(WINDOW_US) == {}


FIRST, SECOND = (BEGIN_US, 0), (BEGIN_US + WINDOW_US, 0)
SENT = {FIRST: Window(0, 10, 2), SECOND: Window(20, 30, 2)}


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        pytest.param(list(SENT.items()), Differences(), id="all there"),
        pytest.param(list(SENT.items())[::-1], Differences(), id="in another order"),
        pytest.param([(FIRST, SENT[FIRST])], Differences(missing=1), id="a window is missing"),
        pytest.param([], Differences(missing=2), id="nothing came"),
        pytest.param(
            [(FIRST, Window(10, 10, 1)), (SECOND, SENT[SECOND])], Differences(different=1), id="first lost"
        ),
        pytest.param(
            [(FIRST, SENT[FIRST]), (SECOND, Window(20, 20, 1))], Differences(different=1), id="tail lost"
        ),
        pytest.param(
            [(FIRST, Window(0, 10, 3)), (SECOND, SENT[SECOND])], Differences(different=1), id="counted twice"
        ),
        pytest.param([*SENT.items(), (FIRST, SENT[FIRST])], Differences(unexpected=1), id="a second result"),
        pytest.param(
            [*SENT.items(), ((BEGIN_US, 1), Window(1, 1, 1))], Differences(unexpected=1), id="no events"
        ),
    ],
)
def test_results_are_compared_as_a_whole(found: list[tuple[WindowId, Window]], wrong: Differences) -> None:
    assert differences(SENT, found) == wrong
    assert wrong.total == sum(asdict(wrong).values())
