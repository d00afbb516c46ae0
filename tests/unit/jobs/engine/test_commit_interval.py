"""How often a run in real-time mode commits."""

from jobs.engine.commit_interval import JITTER, SPACING_MS, commit_interval_ms
from tests.support.desired_runs import desired_run


def interval(run_id: str, runs: int, desired_ms: int = 30_000) -> int:
    return commit_interval_ms(desired_run({}, run_id=run_id, commit_interval_ms=desired_ms), runs)


def test_few_runs_commit_as_desired_but_not_together() -> None:
    found = {interval(f"run-{number}", 1) for number in range(50)}
    assert len(found) > 40
    assert all((1 - JITTER) * 30_000 <= each <= 30_000 for each in found)


def test_the_interval_grows_with_the_runs_of_the_engine() -> None:
    assert interval("r", 30) == interval("r", 1)
    assert interval("r", 60) == 2 * interval("r", 30)
    spacing = sum(interval(f"run-{number}", 100) for number in range(100)) / 100 / 100
    assert (1 - JITTER) * SPACING_MS <= spacing <= SPACING_MS


def test_an_interval_is_the_same_at_every_start_of_an_epoch() -> None:
    assert interval("r", 5) == interval("r", 5)
