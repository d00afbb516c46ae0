"""How state of one layout becomes state of another."""

from dataclasses import replace
from typing import Any

import pytest

from jobs.engine.aggregate_layouts import (
    AggregateLayout,
    StateLayout,
    StateLayoutError,
    operators_of,
    rewrite,
)
from jobs.engine.rows import TIMESTAMP
from tests.support.plan_helpers import planned

LONG, DOUBLE = '"long"', '"double"'
SUM_AND_MEAN = AggregateLayout((LONG, DOUBLE, LONG, LONG), 0, {"sum": (0,), "mean": (1, 2), TIMESTAMP: (3,)})


def test_the_same_layout_needs_nothing() -> None:
    assert rewrite(SUM_AND_MEAN, SUM_AND_MEAN) is None


def test_kept_values_move_and_new_ones_are_initial() -> None:
    new = AggregateLayout(
        (LONG, DOUBLE, LONG, LONG, LONG), 0, {"new": (0,), "mean": (1, 2), TIMESTAMP: (3,), "sum": (4,)}
    )
    found = rewrite(SUM_AND_MEAN, new)
    assert found is not None
    assert (found.sources, found.added) == ((-1, 1, 2, 3, 0), {"new"})
    back = rewrite(new, SUM_AND_MEAN)
    assert back is not None
    assert (back.sources, back.added) == ((4, 1, 2, 3), frozenset())


def test_a_measure_that_is_computed_with_one_that_stays_has_its_past() -> None:
    old = AggregateLayout((LONG,), 0, {"distinct": (0,)})
    new = AggregateLayout((DOUBLE, LONG), 0, {"new": (0,), "set": (1,), "distinct": (1,)})
    found = rewrite(old, new)
    assert found is not None
    assert (found.sources, found.added) == ((-1, 0), {"new"})


def test_a_measure_less_at_the_end_is_a_change_too() -> None:
    new = AggregateLayout((LONG, DOUBLE, LONG), 0, {"sum": (0,), "mean": (1, 2)})
    found = rewrite(SUM_AND_MEAN, new)
    assert found is not None
    assert (found.sources, found.added) == ((0, 1, 2), frozenset())


def test_fixed_values_stay_in_front() -> None:
    old = AggregateLayout((LONG, LONG, LONG), 2, {"n": (2,)})
    new = AggregateLayout((LONG, LONG, LONG, LONG), 2, {"m": (2,), "n": (3,)})
    found = rewrite(old, new)
    assert found is not None
    assert found.sources == (0, 1, -1, 2)
    with pytest.raises(StateLayoutError, match="other keys"):
        rewrite(old, AggregateLayout((DOUBLE, LONG, LONG), 2, {"n": (2,)}))


def test_a_measure_that_keeps_other_values_is_refused() -> None:
    with pytest.raises(StateLayoutError, match="other values"):
        rewrite(SUM_AND_MEAN, AggregateLayout((DOUBLE,), 0, {"sum": (0,)}))


def test_values_of_no_measure_are_refused_unless_nothing_changes() -> None:
    unknown = AggregateLayout((LONG,), 0, None)
    assert rewrite(unknown, unknown) is None
    with pytest.raises(StateLayoutError, match="belong to no measure"):
        rewrite(unknown, SUM_AND_MEAN)


def test_a_layout_is_read_as_it_was_written() -> None:
    layout = StateLayout("base", "document", {"0": SUM_AND_MEAN}, 7)
    assert StateLayout.from_text(layout.to_text()) == layout
    unasked = replace(layout, aggregates=None)
    assert StateLayout.from_text(unasked.to_text()) == unasked
    with pytest.raises(StateLayoutError, match="format 2"):
        StateLayout.from_text(layout.to_text().replace('"format": 1', '"format": 2'))


STEPS = {"sums": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()", "m": "max(x)"}}}


def described(**columns: list[int]) -> dict[str, Any]:
    return {"operator": "stateStoreSave", "id": 0, "types": [LONG, LONG], "fixed": 0, "columns": columns}


def test_a_measure_is_known_by_what_it_means() -> None:
    plan = planned(STEPS)
    meant = plan.state.measures["sums"]
    spark = described(n=[0], **{TIMESTAMP: [1]})
    spark["columns"]["m"] = [0]
    (found,) = operators_of(plan, [spark])
    assert (found.id, found.step) == ("0", "sums")
    assert found.aggregate.places == {meant["n"]: (0,), meant["m"]: (0,), TIMESTAMP: (1,)}
    (unknown,) = operators_of(plan, [described(n=[0], m=[0])])
    assert unknown.aggregate.places is None, "nobody knows what the second value is"
    (lost,) = operators_of(plan, [described(n=[0], **{TIMESTAMP: [1]})])
    assert lost.aggregate.places is None, "nobody knows where m is"
    with pytest.raises(StateLayoutError, match="stateful operators"):
        operators_of(plan, [{**spark, "operator": "dedupe"}])


def test_what_nothing_reads_may_be_left_out() -> None:
    shown = {"op": "select", "input": "sums", "fields": ["k", "n"]}
    plan = planned({**STEPS, "shown": shown})
    (found,) = operators_of(plan, [described(n=[0], **{TIMESTAMP: [1]})])
    assert found.aggregate.places == {plan.state.measures["sums"]["n"]: (0,), TIMESTAMP: (1,)}
