"""Each kind is a job that can be planned, has a program of the peer and a line of the report."""

import json

import pytest

from bench.costs import DOCUMENT as COSTS
from bench.drain import DOCUMENT, FIELDS
from bench.peers.processes import PEERS
from bench.reports.throughput import _KINDS
from bench.state import EVENTS, RATES, STEPS, contract_of, document
from jobs.plan import plan_job


@pytest.mark.parametrize("kind", STEPS)
def test_a_kind_can_be_planned_and_the_peer_has_it(kind: str) -> None:
    catalog = {"s": contract_of(EVENTS), "r": contract_of(EVENTS), "t": contract_of(RATES, ["code"])}
    plan = plan_job(json.dumps(document(kind)), catalog)
    assert plan.ok, plan.problems
    assert f'case "{kind}" ->' in (PEERS / "StreamsState.java").read_text()


def test_every_kind_is_reported() -> None:
    assert list(_KINDS) == list(STEPS)


@pytest.mark.parametrize("made", [DOCUMENT, COSTS])
def test_a_job_over_six_fields_can_be_planned(made: dict[str, object]) -> None:
    plan = plan_job(json.dumps(made), {"s": contract_of(FIELDS)})
    assert plan.ok, plan.problems
