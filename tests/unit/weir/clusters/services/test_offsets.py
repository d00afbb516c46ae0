"""Kafka's numbers for times."""

import pytest

from weir.clusters.services.offsets import at_or_after


@pytest.mark.parametrize(("at_ms", "asked"), [(-62_135_596_800_000, 0), (-1, 0), (0, 0), (5, 5)])
def test_before_1970_there_is_no_other_time(at_ms: int, asked: int) -> None:
    """-1 would ask for the end."""
    assert at_or_after(at_ms)._value == asked
