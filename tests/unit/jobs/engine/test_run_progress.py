"""Merged metrics of two queries over one source: everything is counted once, and never more than there is."""

import json
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.positions import RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.run_progress import RunProgress, owned_nodes
from jobs.kafka_messages import BoundSource, DesiredRun, StartPosition
from jobs.plan import Plan, plan_job
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract

WINDOWED = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()"},
}
ONCE = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "exact"}
CONTRACTS = {"s": contract(), "t": contract()}


def document_of(sources: dict[str, Any], steps: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    return {"format": 1, "name": "x", "sources": sources, "steps": steps, "outputs": outputs}


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
    document = document_of({"s": {"stream": "s"}, "t": {"stream": "t"}}, steps, outputs)
    plan = plan_job(document, CONTRACTS)
    assert [query.name for query in plan.queries] == ["update", "append"], plan.problems
    return plan


@pytest.fixture
def run() -> DesiredRun:
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    sources = {
        name: BoundSource(
            stream=name,
            cluster=home,
            topic=f"topic-{name}",
            topic_id="",
            partitions=1,
            contract=held,
            start=StartPosition(kind="earliest"),
        )
        for name, held in CONTRACTS.items()
    }
    return desired_run(sources, replay_until={"s": {0: 5}})


def batch(
    run: DesiredRun,
    ends: dict[str, int],
    *,
    rows: int = 3,
    late: int = 0,
    watermark: str = "",
    state: int = 1,
) -> BatchProgress:
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
        "observedMetrics": {
            f"read:{name}": {"read": json.dumps({"records": rows, "rows": 0, "malformed": {"VALUE_NULL": 1}})}
            for name in ends
        },
        "eventTime": {"watermark": watermark} if watermark else {},
        "stateOperators": [{"numRowsTotal": state, "numRowsDroppedByWatermark": late}],
    }
    return read_progress(json.dumps(progress), run)


def test_each_record_is_counted_by_the_first_query_that_reads_it(run: DesiredRun) -> None:
    progress = RunProgress(planned())
    updates = progress.merge("update", batch(run, {"s": 3}))
    final = progress.merge("append", batch(run, {"s": 3, "t": 3}))
    assert (updates.rows_in, final.rows_in) == (3, 3)
    assert (updates.malformed, final.malformed) == ({"s": 1}, {"t": 1})


def test_a_table_that_one_query_copies_and_another_reads_as_it_changes_is_counted_by_that(
    run: DesiredRun,
) -> None:
    with_table = {
        "s": contract(),
        "t": contract({"k": "string!", "name": "string"}, kind="table", key=("k",)),
    }
    joined = {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}
    steps = {
        "copied": {**joined, "broadcast": {}},
        "done": {**WINDOWED, "input": "copied", "emit": "final"},
        "now": joined,
        "counted": {**WINDOWED, "input": "now"},
    }
    outputs = {"done": {"input": "done", "to": "result"}, "now": {"input": "counted", "to": {"topic": "o"}}}
    document = document_of({"s": {"stream": "s"}, "t": {"table": "t"}}, steps, outputs)
    plan = plan_job(document, with_table)
    assert plan.ok, plan.problems
    assert "t" in plan.static & plan.streaming
    owned = owned_nodes(plan)
    (streams,) = [query.name for query in plan.queries if "t" in query.streaming]
    assert [name for name, nodes in owned.items() if "t" in nodes] == [streams]


def test_watermark_and_state_are_those_of_the_run_once_every_query_had_a_batch(run: DesiredRun) -> None:
    progress = RunProgress(planned())
    first = progress.merge("update", batch(run, {"s": 3}, watermark="2026-01-01T00:00:09.000Z", state=4))
    assert (first.watermark_us, first.state_rows, first.state_bytes) == (None, None, None)
    second = progress.merge(
        "append", batch(run, {"s": 3, "t": 3}, watermark="2026-01-01T00:00:05.000Z", state=8)
    )
    assert (second.watermark_us, second.state_rows) == (1_767_225_605_000_000, 12)


@pytest.mark.parametrize(("shared", "reported"), [(False, [2, 3, 1]), (True, [2, 1, 0])])
def test_late_rows_of_a_step_in_both_queries_are_reported_once(
    run: DesiredRun, shared: bool, reported: list[int]
) -> None:
    progress = RunProgress(planned(shared))
    found = [
        progress.merge("update", batch(run, {"s": 3}, late=2)).late,
        progress.merge("append", batch(run, {"s": 3, "t": 3}, late=3)).late,
        progress.merge("update", batch(run, {"s": 6}, late=1)).late,
    ]
    assert found == reported


def test_positions_of_a_run_are_those_of_its_slowest_query(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"update": frozenset({"s"}), "append": frozenset({"s", "t"})})
    cluster = run.sources["s"].cluster
    positions.committed(batch(run, {"s": 9}), "update")
    assert (positions.now()["s"][0].committed, positions.now()["s"][0].fetched) == (None, None)
    assert positions.take_unmirrored(cluster) == {}
    assert positions.replaying
    positions.committed(batch(run, {"s": 4, "t": 2}), "append")
    assert (positions.now()["s"][0].committed, positions.now()["t"][0].committed) == (4, 2)
    assert positions.replaying  # it was at 5 before
    positions.committed(batch(run, {"s": 6, "t": 2}), "append")
    assert not positions.replaying
    assert positions.take_unmirrored(cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}
    assert positions.all_committed(cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}


def test_a_run_replays_until_every_query_has_nothing_left(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"update": frozenset({"s"}), "append": frozenset({"s", "t"})})
    positions.idle("update")
    assert positions.replaying
    positions.idle("append")
    assert not positions.replaying


def test_a_new_attempt_begins_where_all_queries_were(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by({"update": frozenset({"s"}), "append": frozenset({"s", "t"})})
    positions.committed(batch(run, {"s": 9}), "update")
    positions.committed(batch(run, {"s": 7, "t": 2}), "append")
    positions.restarted()
    assert not positions.replaying  # both committed what they had read
    assert positions.now()["s"][0].committed == 7


def test_with_an_exchange_positions_are_those_that_both_queries_have_processed(run: DesiredRun) -> None:
    positions = RunPositions(run)
    positions.read_by(
        {"append": frozenset({"s", "t"}), "update": frozenset(), "exchange": frozenset({"s", "t"})}
    )
    positions.committed(batch(run, {"s": 6, "t": 2}), "append")
    positions.committed(batch(run, {}), "update")
    assert (positions.now()["s"][0].committed, positions.replaying) == (None, True)
    positions.processed({"s": {0: 4}, "t": {0: 2}})
    assert (positions.now()["s"][0].committed, positions.replaying) == (4, True)
    positions.processed({"s": {0: 6}, "t": {0: 2}})
    assert (positions.now()["s"][0].committed, positions.replaying) == (6, False)
    assert positions.take_unmirrored(run.sources["s"].cluster) == {("topic-s", 0): 6, ("topic-t", 0): 2}
