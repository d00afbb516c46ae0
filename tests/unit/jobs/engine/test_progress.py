"""What is read from Spark's progress of a batch."""

from typing import Any

import pytest

from jobs.engine.progress import late_rows


@pytest.mark.parametrize(
    ("counted", "twice", "late"),
    [([], False, 0), ([3, 2], False, 5), ([0], True, 0), ([1], True, 1), ([2], True, 1), ([2, 1], True, 2)],
)
def test_late_rows_are_never_told_too_many_nor_as_none(counted: list[int], twice: bool, late: int) -> None:
    states: list[dict[str, Any]] = [{"numRowsDroppedByWatermark": number} for number in counted]
    assert late_rows([*states, {"numRowsDroppedByWatermark": None}], twice=twice) == late
