"""What Spark's progress says of single steps, and when it says nothing."""

import json
from typing import Any

import pytest

from jobs.engine.state_steps import state_steps
from jobs.engine.step_progress import StepProgress
from jobs.kafka_messages import StepState
from jobs.plan import Plan
from tests.support.plan_helpers import planned

ONCE = {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1h"}
COUNTED = {
    "op": "aggregate",
    "input": "once",
    "window": {"tumbling": {"size": "10s"}},
    "by": ["k"],
    "measures": {"n": "count()"},
    "emit": "final",
}
FEW = {"op": "filter", "input": "counted", "where": "n > 1"}


@pytest.fixture
def plan() -> Plan:
    found = planned({"once": ONCE, "counted": COUNTED, "few": FEW})
    assert found.ok, found.problems
    (query,) = found.queries
    return found.for_query(query)


def operator(name: str, rows: int, late: int = 0) -> dict[str, Any]:
    return {
        "operatorName": name,
        "numRowsTotal": rows,
        "memoryUsedBytes": 10,
        "customMetrics": {"rocksdbSstFileSize": 5},
        "numRowsDroppedByWatermark": late,
    }


def test_operators_stand_from_the_end_to_the_sources(plan: Plan) -> None:
    assert state_steps(plan) == [("stateStoreSave", "counted"), ("dedupeWithinWatermark", "once")]
    found = StepProgress(plan).states(
        [operator("stateStoreSave", 3, 2), operator("dedupeWithinWatermark", 9)], {}
    )
    assert found == {
        "counted": StepState(rows=3, bytes=15, late=2),
        "once": StepState(rows=9, bytes=15, late=0),
    }


def test_real_time_mode_has_other_names() -> None:
    found = planned({"counted": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}})
    (query,) = found.queries
    states = StepProgress(found.for_query(query)).states([operator("StatefulStreamlineAggregate", 3)], {})
    assert states["counted"].rows == 3


@pytest.mark.parametrize(
    "names", [[], ["stateStoreSave"], ["dedupeWithinWatermark", "stateStoreSave"], ["stateStoreSave", "new"]]
)
def test_another_list_belongs_to_no_step(plan: Plan, names: list[str]) -> None:
    assert StepProgress(plan).states([operator(name, 1) for name in names], {}) == {}


def read_of(rows: int) -> str:
    return json.dumps({"records": rows + 2, "rows": rows, "malformed": {"NOT_JSON": 1}})


def test_rows_come_as_a_list_or_as_an_object(plan: Plan) -> None:
    observed = {"read:s": [read_of(9)], "given:once": {"rows": 8}, "given:counted": [4]}
    assert StepProgress(plan).given(observed, 3) == {"s": 9, "once": 8, "counted": 4, "few": 3}


def test_what_the_sink_does_not_say_is_unknown(plan: Plan) -> None:
    assert StepProgress(plan).given({"read:s": [read_of(9)]}, -1) == {"s": 9}
    assert StepProgress(plan).given({}, 0) == {}


@pytest.mark.parametrize(
    ("outputs", "dropped", "late", "of_step"),
    [
        (["counted.late"], 0, 5, 5),
        (["once", "counted.late"], 4, 7, 5),  # `once` stands there twice
        (["counted", "counted.late"], 4, 2, 2),
    ],
    ids=["its late output alone", "another step too", "the step itself too"],
)
@pytest.mark.parametrize("value", [[5], {"rows": 5}], ids=["list", "object"])
def test_late_rows_are_counted_where_spark_drops_none(
    outputs: list[str], dropped: int, late: int, of_step: int, value: Any
) -> None:
    written = {
        f"o{at}": {"input": name, "to": {"topic": f"o{at}"} if at else "result"}
        for at, name in enumerate(outputs)
    }
    counted = {**COUNTED, "late": "dead_letter"}
    found = planned({"once": ONCE, "counted": counted}, outputs=written)
    assert found.ok, found.problems
    (query,) = found.queries
    part = found.for_query(query)
    steps = StepProgress(part)
    operators = [operator(name, 0) for name, _ in state_steps(part)]
    operators[0]["numRowsDroppedByWatermark"] = dropped
    observed = {"late:counted": value}
    assert steps.late(operators, observed) == late
    assert steps.states(operators, observed)["counted"].late == of_step
