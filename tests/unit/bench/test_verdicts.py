"""What the report says of an aim is what was measured."""

from typing import Any

import pytest

from bench.report import jobs_carried


def _step(jobs: int, known: float, fresh_p95_ms: int | None) -> dict[str, Any]:
    return {"jobs": jobs, "known": known, "fresh_p95_ms": fresh_p95_ms}


@pytest.mark.parametrize(
    ("steps", "carried"),
    [
        pytest.param([_step(15, 1.0, 900), _step(64, 0.96, 1_900)], 64, id="nearly all run"),
        pytest.param([_step(15, 1.0, 900), _step(100, 0.12, 300)], 15, id="100 asked for, 12 run"),
        pytest.param([_step(15, 1.0, 2_001)], 0, id="too late"),
        pytest.param([_step(15, 0.0, None)], 0, id="nothing is known"),
        pytest.param([], 0, id="nothing was measured"),
    ],
)
def test_jobs_in_the_queue_are_not_carried(steps: list[dict[str, Any]], carried: int) -> None:
    assert jobs_carried(steps) == carried
