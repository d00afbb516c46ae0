"""How large the check takes a step's rows for, and when it bounds them."""

import pytest

from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, Member, Struct
from jobs.expressions.size_bound import MAX_ROW_BYTES
from jobs.operators import derive, select
from jobs.operators.relation import RECORD_BYTES, Relation

FIELDS = Schema(
    (
        Field("t", STRING, nullable=False),
        Field("n", INT),
        Field("s", Struct(tuple(Member(f"m{at}", STRING) for at in range(50)))),
    )
)


def derived(fields: dict[str, str], row_bytes: int = RECORD_BYTES) -> tuple[tuple[str, ...], Relation]:
    """The bounded columns, and the step's rows."""
    params = derive.DeriveStep.model_validate({"op": "derive", "input": "s", "fields": fields})
    step = derive.check(params, (Relation(FIELDS, row_bytes=row_bytes),), ("steps", "x"))
    assert step.bound is not None, step.problems
    return step.bound.bounded, step.output


@pytest.mark.parametrize(
    "fields",
    [
        {"a": "t"},
        {f"c{at}": "t" for at in range(6)},
        {f"c{at}": f"s.m{at}" for at in range(50)},
        {f"c{at}": f"length(t) + {at}" for at in range(200)},
        {"a": "repeat('x', 100)"},
    ],
)
def test_rows_of_ordinary_steps_are_not_looked_at(fields: dict[str, str]) -> None:
    assert derived(fields)[0] == ()


def test_computed_columns_are_bounded_and_those_passed_on_are_not() -> None:
    bounded, output = derived({"n": "n + 1", **{f"c{at}": "t" for at in range(20)}})
    assert bounded == tuple(f"c{at}" for at in range(20))
    nullable = {field.name: field.nullable for field in output.schema}
    assert not nullable["t"]
    assert nullable["c0"], "it may have no room"
    assert output.row_bytes == MAX_ROW_BYTES


def test_steps_add_up() -> None:
    rows, looked_at = RECORD_BYTES, []
    for _ in range(5):
        bounded, output = derived({"a": "t"}, rows)
        looked_at.append(bool(bounded))
        rows = output.row_bytes
    assert looked_at == [False, False, False, True, True]
    assert rows == MAX_ROW_BYTES


def test_a_selection_of_what_is_there_is_not_looked_at() -> None:
    params = select.SelectStep.model_validate({"op": "select", "input": "s", "fields": ["t", "s"]})
    step = select.check(params, (Relation(FIELDS, row_bytes=MAX_ROW_BYTES),), ("steps", "x"))
    assert step.bound is not None
    assert step.bound.bounded == ()
