"""What all tests of the engine without Spark need."""

import pytest

from jobs.engine import run_queries


@pytest.fixture(autouse=True)
def _queries_have_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries of these tests are none of Spark's (`tests/integration/engine/test_state_snapshots.py`)."""
    monkeypatch.setattr(run_queries, "upload_snapshots", lambda _: None)
