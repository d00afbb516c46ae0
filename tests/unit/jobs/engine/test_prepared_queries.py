"""What was prepared for a run is used for exactly the epoch that it was prepared for."""

import threading
from pathlib import Path
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from jobs.engine import prepared_queries
from jobs.engine.prepared_queries import PreparedQueries, _Prepared, incidental_left_out, next_epoch
from tests.support.desired_runs import desired_run, engine_settings
from tests.support.processes import wait_until

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


@pytest.fixture
def new_engine(tmp_path: Path) -> PreparedQueries:
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    return PreparedQueries(engine_settings(home, tmp_path, engine_id="new"), lambda: 41)


def test_a_start_takes_what_is_being_prepared_and_only_once(
    new_engine: PreparedQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, begun = threading.Event(), list[int]()
    plan, query, session = cast(Any, "plan"), cast(Any, "query"), cast(Any, None)

    def slowly(_session: Any, run: Any, _settings: Any, _runs: int) -> _Prepared:
        begun.append(run.epoch)
        assert go.wait(30)
        return _Prepared(incidental_left_out(run), plan, query)

    monkeypatch.setattr(prepared_queries, "_prepared", slowly)
    for _ in range(2):  # as when it is published again
        new_engine.prepare(session, ANNOUNCED)
    threading.Timer(0.1, go.set).start()
    started = next_epoch(ANNOUNCED, "new")
    assert new_engine.take(started) == (plan, query)
    assert begun == [4]
    assert new_engine.take(started) is None


def test_records_are_gathered_as_all_runs_of_the_host_ask_for(
    new_engine: PreparedQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr(prepared_queries, "_prepared", lambda *given: told.append(given[-1]))
    for epoch in (3, 4):
        new_engine.prepare(cast(Any, None), ANNOUNCED.model_copy(update={"epoch": epoch}))
        new_engine.take(next_epoch(ANNOUNCED.model_copy(update={"epoch": epoch}), "new"))
    assert told == [41, 41]


def test_what_could_not_be_prepared_is_started_as_any_run(
    new_engine: PreparedQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_queries, "_prepared", lambda *_: None)
    new_engine.prepare(cast(Any, None), ANNOUNCED)
    assert new_engine.take(next_epoch(ANNOUNCED, "new")) is None
    assert new_engine.take(desired_run({}, run_id="another")) is None


def test_a_start_does_not_wait_long_for_a_preparation_that_hangs(
    new_engine: PreparedQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(prepared_queries, "_prepared", lambda *_: go.wait(60) and None)
    monkeypatch.setattr(prepared_queries, "WAIT_S", 0.05)
    new_engine.prepare(cast(Any, None), ANNOUNCED)
    assert new_engine.take(next_epoch(ANNOUNCED, "new")) is None
    go.set()


def test_what_was_prepared_for_a_hand_over_that_is_given_up_is_dropped(
    new_engine: PreparedQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def prepared(_session: Any, run: Any, _settings: Any, _runs: int) -> _Prepared:
        made.append(_Prepared(incidental_left_out(run), cast(Any, "plan"), cast(Any, "query")))
        return cast(_Prepared, made[-1])

    monkeypatch.setattr(prepared_queries, "_prepared", prepared)
    new_engine.prepare(cast(Any, None), ANNOUNCED)
    wait_until(lambda: made, 60, "it is prepared")
    new_engine.discard(ANNOUNCED.run_id)
    assert new_engine._runs == {}
    new_engine.discard("another")
