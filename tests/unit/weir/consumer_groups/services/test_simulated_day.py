"""A day of eight groups: nothing that somebody has to know is missed, and bursts and deployments are
left alone.
"""

import pytest

from tests.support.simulated_day import RECORDS, play

pytestmark = pytest.mark.thorough


def test_nothing_is_missed_and_less_is_false_than_with_any_threshold_of_records() -> None:
    scores = play(seed=2)
    health = scores["health"]
    assert health.missed == 0
    assert health.false <= 4
    for limit in RECORDS:
        fixed = scores[f"> {limit:,} records"]
        assert fixed.false + fixed.missed > 2 * (health.false + health.missed)
