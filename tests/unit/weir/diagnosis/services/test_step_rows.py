"""Rows of the sample through stateless steps are those that the oracle gives."""

import json
from collections import Counter
from typing import Any

import pytest

from jobs.base.instants import Instant, datetime_of
from jobs.formats.contract import StreamContract
from jobs.formats.records import Row, json_value
from jobs.plan import Plan, plan_job
from jobs.plan.model import Node
from tests.oracle.cases import Case, load_cases
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases
from tests.support.record_texts import decoded
from weir.diagnosis.services.source_facts import SampledRow, sampled_row
from weir.diagnosis.services.step_rows import NOT_COMPUTED, STATELESS, StepRows, rows_through

AT_LEAST = 20  # golden cases without state that Python computes
RANDOM = 60


def plan_of(case: Case) -> Plan:
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    return plan_job(case.document, contracts)


def system_fields(source: str, row: Row, time_us: int, offset: int) -> dict[str, Any]:
    return {
        "_time": datetime_of(row.event_time),
        "_timestamp": datetime_of(Instant(time_us)),
        "_source": source,
        "_partition": 0,
        "_offset": offset,
    }


def sampled(case: Case, plan: Plan) -> dict[str, tuple[SampledRow, ...]]:
    document = json.loads(case.document)
    found: dict[str, list[SampledRow]] = {name: [] for name in document["sources"]}
    offsets: Counter[str] = Counter()
    for batch in case.batches:
        for name, records in batch.items():
            node = plan.node(name)
            contract = node.bound.contract  # type: ignore[attr-defined]
            for time_us, value in records:
                row = decoded(value, contract, time_us)
                if row is not None:
                    found[name].append(sampled_row(row, system_fields(name, row, time_us, offsets[name])))
                offsets[name] += 1
    return {name: tuple(rows) for name, rows in found.items()}


def keeps_state(node: Node) -> bool:
    """A left join with a table is computed without the table's fields, and without its further matches."""
    return node.state.kind != "none" or node.op == "table_join"


def differences(case: Case) -> str | None:
    """None: the case has state, or nothing of it can be compared."""
    plan = plan_of(case)
    if not plan.ok or len(plan.outputs) > 1 or any(keeps_state(node) for node in plan.live_nodes):
        return None
    relation = plan.relation(plan.outputs[0])
    found = rows_through(plan, sampled(case, plan))[plan.outputs[0]]
    if found.rows is None or relation.kind != "append":
        return None
    (content,) = case.expected_after[-1].values()
    known = [name for name in relation.schema.names if name not in found.uncomputed]

    def written(values: dict[str, Any]) -> str:
        return json.dumps({name: values.get(name) for name in known}, sort_keys=True)

    given = Counter(written({name: json_value(row.values[name]) for name in known}) for row in found.rows)
    wanted = Counter(written(dict(row)) for row in content.values())
    return "" if given == wanted else f"{case.title}: {given - wanted} instead of {wanted - given}"


def test_golden_cases_give_the_oracles_rows() -> None:
    compared = [found for case in load_cases() if (found := differences(case)) is not None]
    assert len(compared) >= AT_LEAST
    assert not list(filter(None, compared))


@pytest.mark.thorough
def test_random_documents_give_the_oracles_rows() -> None:
    compared = [found for case in drawn(RANDOM, 1, cases()) if (found := differences(case)) is not None]
    assert compared
    assert not list(filter(None, compared))


def test_steps_that_multiply_rows_are_unknown_before_they_are_many() -> None:
    steps: dict[str, Any] = {"u0": {"op": "union", "inputs": ["s", "s2"]}}
    for number in range(1, 8):
        below = f"u{number - 1}"
        steps[f"d{number}"] = {"op": "derive", "input": below, "fields": {"x": "x + 1"}}
        steps[f"u{number}"] = {"op": "union", "inputs": [below, f"d{number}"]}
    document = {
        "format": 1,
        "name": "j",
        "sources": {"s": {"stream": "s"}, "s2": {"stream": "s"}},
        "steps": steps,
        "outputs": {"out": {"input": "u7", "to": "result"}},
    }
    contract = StreamContract.model_validate(
        {"fields": [{"name": "x", "type": "long"}], "event_time": {"kind": "kafka_timestamp"}, "delay": "0s"}
    )
    plan = plan_job(json.dumps(document), {"s": contract})
    assert plan.ok, plan.problems
    rows = tuple(SampledRow({"x": number}, 0) for number in range(500))
    found = rows_through(plan, {"s": rows, "s2": rows})
    assert found["u4"].count == 16_000
    assert (found["u5"].rows, found["u7"].rows) == (None, None)
    assert "32,000 rows" in found["u5"].unknown


def test_a_union_has_no_value_where_an_input_is_not_computed() -> None:
    """Null would be a claim, such as that every row of the union lacks a value there."""
    document = {
        "format": 1,
        "name": "j",
        "sources": {"s": {"stream": "s"}},
        "steps": {
            "d": {"op": "derive", "input": "s", "fields": {"y": "soundex(x)"}},
            "n": {"op": "derive", "input": "s", "fields": {"y": "upper(x)"}},
            "u": {"op": "union", "inputs": ["d", "n"]},
        },
        "outputs": {"out": {"input": "u", "to": "result"}},
    }
    contract = StreamContract.model_validate(
        {
            "fields": [{"name": "x", "type": "string"}],
            "event_time": {"kind": "kafka_timestamp"},
            "delay": "0s",
        }
    )
    plan = plan_job(json.dumps(document), {"s": contract})
    assert plan.ok, plan.problems
    found = rows_through(plan, {"s": (SampledRow({"x": "a"}, 0),)})["u"]
    assert found.rows is not None
    assert [dict(row.values) for row in found.rows] == [{"x": "a"}, {"x": "a", "y": "A"}]
    assert found.uncomputed == {"y"}


def test_a_step_that_fails_is_unknown_alone() -> None:
    """No step does, unless Weir has a defect."""

    def fails(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
        raise ZeroDivisionError

    document = {
        "format": 1,
        "name": "j",
        "sources": {"s": {"stream": "s"}},
        "steps": {
            "f": {"op": "filter", "input": "s", "where": "x > 1"},
            "d": {"op": "derive", "input": "s", "fields": {"y": "x + 1"}},
        },
        "outputs": {
            "f": {"input": "f", "to": {"topic": "o", "format": "json"}},
            "d": {"input": "d", "to": "result"},
        },
    }
    contract = StreamContract.model_validate(
        {"fields": [{"name": "x", "type": "long"}], "event_time": {"kind": "kafka_timestamp"}, "delay": "0s"}
    )
    plan = plan_job(json.dumps(document), {"s": contract})
    assert plan.ok, plan.problems
    found = rows_through(plan, {"s": (SampledRow({"x": 1}, 0),)}, {**STATELESS, "filter": fails})
    assert (found["f"].rows, found["f"].unknown) == (None, NOT_COMPUTED)
    assert found["d"].count == 1
