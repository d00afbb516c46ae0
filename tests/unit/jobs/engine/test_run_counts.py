"""What two stages over one source say of their run: once, and never more than there is."""

import json
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.positions import RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.run_counts import RunCounts
from jobs.messages import BoundSource, DesiredRun, Start
from jobs.plan import Plan, plan_job
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract

WINDOWED = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "10s"}}, "by": ["k"], "measures": {"n": "count()"}}
ONCE = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "exact"}
CONTRACTS = {"s": contract(), "t": contract()}


def planned(shared: bool = False) -> Plan:
    """Updated counts of s, which are the result, and final ones of s and t; or both behind one step."""
    both = "once" if shared else "s"
    steps = {
        "once": ONCE,
        "now": {**WINDOWED, "input": both},
        "all": {"op": "union", "inputs": [both, "t"]},
        "done": {**WINDOWED, "input": "all", "emit": "final"},
    }
    outputs = {"now": {"input": "now", "to": "result"}, "done": {"input": "done", "to": {"topic": "done"}}}
    document = {"format": 1, "name": "x", "sources": {"s": {"stream": "s"}, "t": {"stream": "t"}}, "steps": steps, "outputs": outputs}
    plan = plan_job(document, CONTRACTS)
    assert [stage.name for stage in plan.stages] == ["updates", "final"], plan.problems
    return plan


@pytest.fixture
def run() -> DesiredRun:
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    sources = {
        name: BoundSource(
            stream=name, cluster=home, topic=f"topic-{name}", topic_id="", partitions=1, contract=held, start=Start(kind="earliest")
        )
        for name, held in CONTRACTS.items()
    }
    return desired_run(sources, replay_until={"s": {0: 5}})


def batch(run: DesiredRun, ends: dict[str, int], *, rows: int = 3, late: int = 0, watermark: str = "", state: int = 1) -> BatchProgress:
    sources = [
        {
            "description": f"KafkaV2[Subscribe[topic-{name}]]",
            "endOffset": {f"topic-{name}": {"0": end}},
            "latestOffset": {f"topic-{name}": {"0": end}},
            "numInputRows": rows,
        }
        for name, end in ends.items()
    ]
    progress: dict[str, Any] = {
        "batchId": 1,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "numInputRows": rows * len(ends),
        "sources": sources,
        "observedMetrics": {f"read:{name}": {"records": rows, "UNREADABLE": 0, "VALUE_NULL": 1} for name in ends},
        "eventTime": {"watermark": watermark} if watermark else {},
        "stateOperators": [{"numRowsTotal": state, "numRowsDroppedByWatermark": late}],
    }
    return read_progress(json.dumps(progress), run)


def test_each_record_is_counted_by_the_first_stage_that_reads_it(run: DesiredRun) -> None:
    counts = RunCounts(planned(), run)
    updates = counts.take("updates", batch(run, {"s": 3}))
    final = counts.take("final", batch(run, {"s": 3, "t": 3}))
    assert (updates.rows_in, final.rows_in) == (3, 3)
    assert (updates.malformed, final.malformed) == ({"s": 1}, {"t": 1})


def test_watermark_and_state_are_those_of_the_run_once_every_stage_has_spoken(run: DesiredRun) -> None:
    counts = RunCounts(planned(), run)
    first = counts.take("updates", batch(run, {"s": 3}, watermark="2026-01-01T00:00:09.000Z", state=4))
    assert (first.watermark_us, first.state_rows, first.state_bytes) == (None, None, None)
    second = counts.take("final", batch(run, {"s": 3, "t": 3}, watermark="2026-01-01T00:00:05.000Z", state=8))
    assert (second.watermark_us, second.state_rows) == (1_767_225_605_000_000, 12)


@pytest.mark.parametrize(("shared", "told"), [(False, [2, 3, 1]), (True, [2, 1, 0])])
def test_late_rows_of_a_step_in_both_stages_are_told_once(run: DesiredRun, shared: bool, told: list[int]) -> None:
    counts = RunCounts(planned(shared), run)
    found = [
        counts.take("updates", batch(run, {"s": 3}, late=2)).late,
        counts.take("final", batch(run, {"s": 3, "t": 3}, late=3)).late,
        counts.take("updates", batch(run, {"s": 6}, late=1)).late,
    ]
    assert found == told


def test_the_run_stands_where_its_slowest_stage_does(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"updates": frozenset({"s"}), "final": frozenset({"s", "t"})})
    cluster = run.sources["s"].cluster
    positions.committed(batch(run, {"s": 9}), "updates")
    assert (positions.now()["s"][0].committed, positions.now()["s"][0].fetched) == (None, None)
    assert positions.take_unmirrored(cluster) == {}
    assert positions.replaying
    positions.committed(batch(run, {"s": 4, "t": 2}), "final")
    assert (positions.now()["s"][0].committed, positions.now()["t"][0].committed) == (4, 2)
    assert positions.replaying  # it was at 5 before
    positions.committed(batch(run, {"s": 6, "t": 2}), "final")
    assert not positions.replaying
    assert positions.take_unmirrored(cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}
    assert positions.all_committed(cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}


def test_a_run_replays_until_every_stage_has_nothing_left(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"updates": frozenset({"s"}), "final": frozenset({"s", "t"})})
    positions.idle("updates")
    assert positions.replaying
    positions.idle("final")
    assert not positions.replaying


def test_a_new_attempt_begins_where_all_stages_were(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"updates": frozenset({"s"}), "final": frozenset({"s", "t"})})
    positions.committed(batch(run, {"s": 9}), "updates")
    positions.committed(batch(run, {"s": 7, "t": 2}), "final")
    positions.restarted()
    assert not positions.replaying  # both committed what they had read
    assert positions.now()["s"][0].committed == 7


def test_where_stages_pass_rows_on_a_run_stands_where_both_have_been(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"final": frozenset({"s", "t"}), "updates": frozenset(), "passed": frozenset({"s", "t"})})
    positions.committed(batch(run, {"s": 6, "t": 2}), "final")
    positions.committed(batch(run, {}), "updates")
    assert (positions.now()["s"][0].committed, positions.replaying) == (None, True)
    positions.passed({"s": {0: 4}, "t": {0: 2}})
    assert (positions.now()["s"][0].committed, positions.replaying) == (4, True)
    positions.passed({"s": {0: 6}, "t": {0: 2}})
    assert (positions.now()["s"][0].committed, positions.replaying) == (6, False)
    assert positions.take_unmirrored(run.sources["s"].cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}
