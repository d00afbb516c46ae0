"""Rows that an earlier version of a step let through clear no later one."""

from dataclasses import replace

from tests.unit.weir.diagnosis.services.made_evidence import BIG, FILTERED_WINDOW, counted, evidence
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.edited_steps import counts_since_edit, edited_nodes
from weir.diagnosis.services.evidence import StepFacts

NOW = {"sources": {"orders": {"stream": "orders"}}, "steps": {"big": {"where": "a"}, "n": {"by": ["x"]}}}
BEFORE = {**NOW, "steps": {**NOW["steps"], "big": {"where": "b"}}}
COUNTS = counted({"orders": 900, "n": 3}, steps={"n": StepFacts(state_rows=4, late=1)})


def test_nodes_that_differ_or_are_new_were_edited() -> None:
    assert edited_nodes(NOW, [NOW]) == frozenset()
    assert edited_nodes(NOW, [NOW, BEFORE]) == {"big"}
    assert edited_nodes(NOW, [{"sources": NOW["sources"]}]) == {"big", "n"}


def test_counts_of_edited_steps_and_those_behind_them_are_left_out() -> None:
    found = counts_since_edit(COUNTS, FILTERED_WINDOW, frozenset(("big",)))
    assert (found.given, found.steps["n"]) == ({"orders": 900}, StepFacts(expression_nulls=None))
    assert counts_since_edit(COUNTS, FILTERED_WINDOW, frozenset()) == COUNTS


def test_a_filter_that_was_edited_is_judged_anew() -> None:
    given = evidence(FILTERED_WINDOW, BIG, counts=COUNTS)
    assert diagnose(given).cause.code == "WINDOW_OPEN"
    edited = counts_since_edit(COUNTS, FILTERED_WINDOW, frozenset(("big",)))
    assert diagnose(replace(given, counts=edited)).cause.code == "FILTER_PASSES_NONE"
