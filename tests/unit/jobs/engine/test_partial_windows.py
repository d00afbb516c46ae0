"""Up to which start the windows of an output lack rows."""

import pytest

from jobs.base.durations import Duration
from jobs.base.schemas import Schema
from jobs.engine.partial_windows import PartialWindows
from jobs.operators.relation import Relation

PLAIN = Relation(Schema(()), windowed=True)
SESSIONS = Relation(Schema(()), windowed=True, before_start=Duration(10))


@pytest.mark.parametrize(
    ("started", "of_state", "plain", "sessions"),
    [
        (None, None, None, None),
        (100, None, 100, 110),
        (None, 100, 100, 100),
        (100, 105, 105, 110),
        (100, 120, 120, 120),
    ],
)
def test_what_decides_over_a_window_may_lie_before_its_start(
    started: int | None, of_state: int | None, plain: int | None, sessions: int | None
) -> None:
    lacking = PartialWindows(started, of_state)
    assert (lacking.before_us, lacking.of(PLAIN), lacking.of(SESSIONS)) == (plain, plain, sessions)
