"""When what crashed is started again, and when no more."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.base.instants import instant_of
from weir.runs.services.restart_policy import BACKOFF_S, CRASH_SPAN, MAX_CRASHES, backoff, spend_crash


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
