"""What is read from Spark's progress of a batch."""

from typing import Any

import pytest

from jobs.engine.progress import late_rows


@pytest.mark.parametrize(
    ("counted", "times", "late"),
    [([], 1, 0), ([3, 2], 1, 5), ([0], 2, 0), ([1], 2, 1), ([2], 2, 1), ([2, 1], 2, 2), ([3, 3, 3], 3, 3)],
)
def test_late_rows_are_never_told_too_many_nor_as_none(counted: list[int], times: int, late: int) -> None:
    states: list[dict[str, Any]] = [{"numRowsDroppedByWatermark": number} for number in counted]
    assert late_rows([*states, {"numRowsDroppedByWatermark": None}], times=times) == late
