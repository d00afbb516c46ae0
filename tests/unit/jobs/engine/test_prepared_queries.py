"""What was prepared for a run is used for exactly the epoch that it was prepared for."""

from typing import Any

import pytest

from jobs.engine.prepared_queries import incidental_left_out, next_epoch
from tests.support.desired_runs import desired_run

ANNOUNCED = desired_run({}, engine_id="old", epoch=3, revision=7, state="stopped", successor_id="new")


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"revision": 9, "committed": {"s": {0: 4}}, "replay_until": {"s": {0: 4}}, "published_us": 1}, True),
        ({"recovering": True}, True),
        ({"epoch": 5}, False),
        ({"document": {"another": "version"}}, False),
        ({"mode": "realtime"}, False),
        ({"checkpoint": "/elsewhere"}, False),
        ({"result_topic": "another"}, False),
        ({"engine_id": "third"}, False),
    ],
)
def test_only_what_queries_depend_on_is_compared(change: dict[str, Any], same: bool) -> None:
    started = next_epoch(ANNOUNCED, "new").model_copy(update=change)
    assert (incidental_left_out(started) == incidental_left_out(next_epoch(ANNOUNCED, "new"))) is same


def test_the_next_epoch_is_desired_to_run() -> None:
    run = next_epoch(ANNOUNCED, "new")
    assert (run.engine_id, run.epoch, run.state, run.successor_id) == ("new", 4, "running", None)
