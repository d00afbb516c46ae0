"""After how many commits a query takes a snapshot of its state."""

import pytest

from jobs.engine.state_snapshots import commits_between


@pytest.mark.parametrize(
    ("commit_interval_ms", "commits"),
    [(None, 1), (0, 10), (500, 10), (12_000, 10), (30_000, 4), (60_000, 2), (120_000, 1), (3_600_000, 1)],
)
def test_a_snapshot_is_at_most_two_minutes_or_ten_commits_old(
    commit_interval_ms: int | None, commits: int
) -> None:
    assert commits_between(commit_interval_ms) == commits
