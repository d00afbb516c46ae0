"""What counts as silence of an engine."""

import pytest

from weir.runs.silence import is_silent

S = 1_000_000


@pytest.mark.parametrize(
    ("heard", "read_until", "now", "silent"),
    [
        (100, 108, 108, False),  # eight seconds are not too long yet
        (100, 109, 109, True),  # it was listened to and nothing came
        (100, 104, 118, False),  # heartbeats of 14 s may wait unread: no silence
        (100, 104, 120, True),  # nobody reads any more: the state is too old to be claimed
        (100, None, 108, False),  # not known how far was read: the clock decides
        (100, None, 109, True),
        (100, 90, 101, False),  # heard by another way than what is read
    ],
)
def test_silence_counts_only_as_far_as_reports_were_read(heard: int, read_until: int | None, now: int, silent: bool) -> None:
    assert is_silent(heard * S, None if read_until is None else read_until * S, now * S) is silent
