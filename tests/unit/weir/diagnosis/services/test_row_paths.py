"""What counted rows prove of the places before them."""

from jobs.plan import Plan
from tests.unit.weir.diagnosis.services.made_evidence import BOTH, planned
from weir.diagnosis.services.evidence import StepFacts
from weir.diagnosis.services.row_paths import rows_passed

BIG = "  big: {op: filter, input: orders, where: status = 'PAID'}\n"


def passed(plan: Plan, given: dict[str, float], steps: dict[str, StepFacts] | None = None) -> set[str]:
    return set(rows_passed(plan, given, steps or {}))


def test_rows_of_a_step_prove_all_that_it_needs() -> None:
    pairs = (
        "  pairs: {{op: join, type: {kind}, left: big, right: payments, on: {{id: order_id}}, prefix: p_}}"
    )
    inner = planned(BIG + pairs.format(kind="inner"), "pairs", BOTH)
    assert passed(inner, {"pairs": 1}) == {"orders", "big", "payments", "pairs"}
    windowed = pairs.replace("prefix: p_", "prefix: p_, between: {{before: 1m, after: 1m}}")
    left = planned(BIG + windowed.format(kind="left"), "pairs", BOTH)
    assert passed(left, {"pairs": 1}) == {"orders", "big", "pairs"}
    assert passed(left, {"orders": 9, "pairs": 0}) == {"orders"}


def test_one_input_of_a_union_proves_nothing_of_the_other() -> None:
    steps = (
        f"{BIG}  small: {{op: filter, input: orders, where: status = 'OPEN'}}\n"
        "  all: {op: union, inputs: [big, small]}\n"
        "  n: {op: aggregate, input: all, by: [status], measures: {n: count()}}"
    )
    assert passed(planned(steps, "n"), {"n": 3}) == {"orders", "all", "n"}


def test_rows_that_a_step_keeps_or_drops_have_reached_it() -> None:
    window = "window: {tumbling: {size: 1h}}, measures: {n: count()}, emit: final"
    plan = planned(f"{BIG}  n: {{op: aggregate, input: big, {window}}}", "n")
    for step in (StepFacts(state_rows=3), StepFacts(late=1), StepFacts(keyless=1)):
        assert passed(plan, {}, {"n": step}) == {"orders", "big"}
    assert passed(plan, {}, {"n": StepFacts(state_rows=0, late=0)}) == set()


def test_tombstones_of_a_changelog_prove_nothing_of_a_filter() -> None:
    plan = planned(
        "  named: {op: filter, input: customers, where: name = 'ann'}",
        "named",
        "customers: {table: customers}",
    )
    assert passed(plan, {"customers": 5, "named": 5}) == {"customers"}
