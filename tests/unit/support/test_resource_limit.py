"""The measure of hostile input sees what was there for a moment only."""

import pytest

from tests.support.resource_limit import resource_limit


def test_a_peak_that_is_over_is_seen() -> None:
    with pytest.raises(AssertionError, match="MB at its peak"), resource_limit(max_bytes=50_000_000):
        bytearray(120_000_000)  # is given back at once


def test_an_earlier_peak_does_not_count() -> None:
    bytearray(120_000_000)
    with resource_limit(max_bytes=50_000_000):
        bytearray(10_000_000)


def test_processor_time_counts() -> None:
    with pytest.raises(AssertionError, match="processor time"), resource_limit(seconds=0.05):
        sum(range(10_000_000))
