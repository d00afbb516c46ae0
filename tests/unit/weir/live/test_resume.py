"""Whether a client may resume from its cursor."""

import pytest

from weir.live import resume
from weir.live.result_topic import FollowedResult
from weir.live.resume import ResumeDecision, decide_resume
from weir.results.services.cursors import Cursor, encode_cursor
from weir.results.services.fencing import Fence
from weir.retention import CURSOR_MAX_AGE_US

NOW_US = 1_764_000_000_000_000
OLD_US = NOW_US - CURSOR_MAX_AGE_US - 1


def decided(
    monkeypatch: pytest.MonkeyPatch, offsets: dict[int, int], at_us: int, topic_id: str = "id"
) -> ResumeDecision:
    """What is decided about a cursor of a topic that has the offsets 10 to 99 and none."""
    followed = FollowedResult("j", 1, "results", "id", {0: 0, 1: 0}, Fence())
    bounds = {("results", 0): (10, 100), ("results", 1): (0, 0)}
    monkeypatch.setattr(resume, "home_profile", lambda: None)
    monkeypatch.setattr(resume, "watermarks", lambda *_: bounds)
    return decide_resume(encode_cursor(Cursor(1, topic_id, offsets, at_us)), followed, NOW_US)


@pytest.mark.parametrize(
    ("offsets", "at_us", "gap"),
    [
        ({0: 99, 1: 0}, OLD_US, "cursor_too_old"),
        ({0: 99, 1: 0}, OLD_US + 1, ""),
        ({0: 100, 1: 0}, OLD_US, ""),  # nothing was written since: no deletion can be missed
        ({0: 100}, OLD_US, ""),
        ({0: 101, 1: 0}, OLD_US, "beyond_end"),
        ({0: 99, 1: 1}, OLD_US, "beyond_end"),
        ({0: 9, 1: 0}, NOW_US, "below_start"),
    ],
)
def test_a_cursor_may_be_too_old_only_for_what_was_written_since(
    monkeypatch: pytest.MonkeyPatch, offsets: dict[int, int], at_us: int, gap: str
) -> None:
    found = decided(monkeypatch, offsets, at_us)
    assert found == ResumeDecision(gap=gap) if gap else found == ResumeDecision(offsets={1: 0, **offsets})


def test_a_cursor_of_another_topic_is_none_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decided(monkeypatch, {0: 100}, OLD_US, "another") == ResumeDecision(gap="topic_changed")
