"""Plans of random documents agree with the oracle: fields read, fields never null, and results.

No Spark is asked: a field that a plan prunes, and an answer depends on, is found by the oracle alone.
"""

import json
import os
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.plan import Plan, SourceBound, plan_job
from tests.oracle.answers import Batch, scripted
from tests.oracle.cases import Case, load_cases
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases
from tests.oracle.records import MARKS, TOMBSTONE

pytestmark = pytest.mark.thorough

MANY = int(os.environ.get("WEIR_RANDOM_PLANS", "100"))
SEED = int(os.environ.get("WEIR_RANDOM_SEED", "7"))


def plan_of(case: Case) -> Plan:
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    plan = plan_job(json.loads(case.document), contracts)
    assert plan.ok, plan.problems
    return plan


@pytest.fixture(scope="module", params=["golden", "random"])
def given(request: pytest.FixtureRequest) -> list[Case]:
    return load_cases() if request.param == "golden" else list(drawn(MANY, SEED, cases()))


def test_what_a_plan_prunes_changes_no_answer(given: list[Case]) -> None:
    for case in given:
        plan = plan_of(case)
        used = {
            node.name: node.bound.used_fields
            for node in plan.live_nodes
            if isinstance(node.bound, SourceBound)
        }
        pruned = [_only(batch, used) for batch in case.batches]
        whole, without = (
            scripted(case.document, case.contracts, batches)[0] for batches in (case.batches, pruned)
        )
        assert repr(without) == repr(whole), f"{case.title}: {case.document}\n{used}"


def _only(batch: Batch, used: dict[str, tuple[str, ...]]) -> Batch:
    """The batch with the fields that are used; keys of tables stand in the record's key."""
    return {
        name: [(at, values if TOMBSTONE in values else _kept(values, used[name])) for at, values in records]
        for name, records in batch.items()
        if name in used
    }


def _kept(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    marks = {name: values[name] for name in MARKS if name in values}
    return {**{name: values.get(name) for name in names}, **marks}


def test_what_comes_out_is_what_the_plan_declares(given: list[Case]) -> None:
    for case in given:
        plan = plan_of(case)
        contents = scripted(case.document, case.contracts, case.batches)[0]
        for sink in plan.sinks:
            schema = plan.relation(sink.reference).schema
            never = [field.name for field in schema if not field.nullable]
            for row in (row for content in contents for row in content[sink.name].values()):
                assert sink.names or list(row) == list(schema.names), (
                    f"{case.title}: {sink.name}\n{case.document}"
                )
                assert sink.names or all(row[name] is not None for name in never), (
                    f"{case.title}: {never} {row}\n{case.document}"
                )
