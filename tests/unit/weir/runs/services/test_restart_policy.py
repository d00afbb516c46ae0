"""When what crashed is started again, and when no more."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.engine.failures import failure_of
from weir.runs.services.restart_policy import (
    BACKOFF_S,
    CRASH_SPAN,
    MAX_CRASHES,
    RETRIED_EVERY_S,
    backoff,
    next_retry,
    spend_crash,
)


def test_the_budget_is_spent_by_crashes_within_the_span_alone() -> None:
    before_the_span = instant_of(timezone.now() - CRASH_SPAN - timedelta(seconds=1))
    crashes: list[int] = [before_the_span] * MAX_CRASHES
    for attempt in range(1, MAX_CRASHES + 1):
        crashes, spent = spend_crash(crashes)
        assert (len(crashes), spent) == (attempt, attempt == MAX_CRASHES)


@pytest.mark.parametrize(
    ("crashes", "seconds"), [(0, BACKOFF_S[0]), (1, BACKOFF_S[0]), (2, BACKOFF_S[1]), (99, BACKOFF_S[-1])]
)
def test_each_further_attempt_waits_longer_up_to_a_limit(crashes: int, seconds: int) -> None:
    assert backoff(crashes) == timedelta(seconds=seconds)


@pytest.mark.parametrize("code", RETRIED_EVERY_S)
def test_what_is_around_a_run_may_be_mended_hours_later(code: str) -> None:
    crashes: list[int] = []
    for _ in range(1_000):
        crashes, pause = next_retry(code, crashes)
        assert pause == timedelta(seconds=RETRIED_EVERY_S[code])
    assert crashes == []


def test_other_failures_end_with_the_budget() -> None:
    crashes: list[int] = []
    pauses = []
    for _ in range(MAX_CRASHES):
        crashes, pause = next_retry("ENGINE_ERROR", crashes)
        pauses.append(pause)
    assert pauses == [*(timedelta(seconds=each) for each in BACKOFF_S[: MAX_CRASHES - 1]), None]


@pytest.mark.parametrize(
    "text",
    ["No space left on device", "CheckpointMissingError", "org.apache.kafka.common.errors.TimeoutException"],
)
def test_what_promises_to_resume_by_itself_is_tried_again_as_long_as_it_takes(text: str) -> None:
    failure = failure_of(text)
    assert "resumes" in failure.message
    assert failure.code in RETRIED_EVERY_S
