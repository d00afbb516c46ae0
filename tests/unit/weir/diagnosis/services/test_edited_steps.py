"""Rows that an earlier version of a step let through clear no later one."""

from dataclasses import replace

from tests.unit.weir.diagnosis.services.made_evidence import (
    BIG,
    FILTER,
    FILTERED_WINDOW,
    GONE,
    HOUR,
    LATE,
    PAID,
    UPDATES,
    counted,
    evidence,
    old,
    sample,
    source,
)
from tests.unit.weir.diagnosis.services.made_evidence import NOW as NOW_US
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.edited_steps import counts_since_edit, edited_nodes
from weir.diagnosis.services.evidence import ResultFacts, StepFacts

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


def test_rows_of_before_the_edit_are_not_output_of_a_job_with_one_output() -> None:
    counts = counted({"orders": 900, "big": 40}, rows_out=40)
    given = evidence(FILTER, source(rows=old()), counts=counts, result=ResultFacts(newest_us=NOW_US - HOUR))
    assert diagnose(given).cause.code == "NO_NEW_RECORDS"
    edited = counts_since_edit(counts, FILTER, frozenset(("big",)))
    assert edited.rows_out is None
    assert diagnose(replace(given, counts=edited)).cause.code == "FILTER_PASSES_NONE"
    gone = diagnose(evidence(FILTER, source(rows=PAID), counts=edited))
    assert (gone.cause.code, gone.checks[-1].status) == ("CAUSE_UNKNOWN", "cause")
    assert counts_since_edit(counted(rows_out=0), FILTER, frozenset(("big",))).rows_out == 0


def test_late_rows_of_before_the_edit_leave_open_whether_there_were_some_since() -> None:
    late = source(rows=GONE, sample=sample(*GONE, newest_us=NOW_US))
    counts = counted({"n": 3}, rows_out=3, late=5, steps={"n": StepFacts(late=5)})
    edited = counts_since_edit(counts, UPDATES, frozenset(("n",)))
    assert diagnose(evidence(UPDATES, late, counts=edited)).cause.code == "ALL_LATE"  # by the newest rows
    assert diagnose(evidence(UPDATES, counts=edited)).cause.code == "CAUSE_UNKNOWN"
    asked = evidence(LATE, BIG, output="late", counts=counts_since_edit(counts, LATE, frozenset(("n",))))
    assert diagnose(asked).cause.code == "CAUSE_UNKNOWN"


def test_a_filter_that_was_edited_is_judged_anew() -> None:
    given = evidence(FILTERED_WINDOW, BIG, counts=COUNTS)
    assert diagnose(given).cause.code == "WINDOW_OPEN"
    edited = counts_since_edit(COUNTS, FILTERED_WINDOW, frozenset(("big",)))
    assert diagnose(replace(given, counts=edited)).cause.code == "FILTER_PASSES_NONE"
