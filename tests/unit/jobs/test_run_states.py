"""Which states of a run follow which, and what counts as silence of an engine."""

from typing import get_args

import pytest

from jobs.run_states import (
    ENDED,
    LIVE,
    NEXT,
    QUEUED,
    SILENCE_COUNTS,
    STATES,
    STOPPED,
    STOPPING,
    UNKNOWN,
    DesiredState,
    RunState,
    is_silent,
    may_follow,
    shown_state,
)

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
def test_silence_counts_only_as_far_as_reports_were_read(
    heard: int, read_until: int | None, now: int, silent: bool
) -> None:
    assert is_silent(heard * S, None if read_until is None else read_until * S, now * S) is silent


def test_every_state_has_its_successors_and_ended_ones_have_none() -> None:
    assert get_args(RunState) == STATES
    assert set(NEXT) == set(STATES)
    assert {state for state, following in NEXT.items() if not following} == ENDED


def test_a_run_ends_from_every_live_state() -> None:
    assert all(may_follow(state, STOPPED) for state in LIVE)
    assert NEXT[STOPPING] == {STOPPED}


def test_what_is_desired_can_be_observed() -> None:
    assert set(get_args(DesiredState)) <= set(STATES)


def test_silence_makes_only_what_an_engine_claims_unknown() -> None:
    shown = {state: shown_state(state, 0, None, 60 * S) for state in STATES}
    assert {state for state in STATES if shown[state] == UNKNOWN} == SILENCE_COUNTS
    assert all(shown[state] == state for state in STATES if state not in SILENCE_COUNTS)


def test_a_run_that_no_engine_has_is_not_unknown_by_silence() -> None:
    shown = {state: shown_state(state, 0, None, 60 * S, placed=False) for state in STATES}
    assert {state for state in STATES if shown[state] == UNKNOWN} == SILENCE_COUNTS - {QUEUED}
