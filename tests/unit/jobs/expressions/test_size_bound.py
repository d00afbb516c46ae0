"""How large a value an expression may make of a record."""

import time

import pytest

from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, Array
from jobs.expressions import check_expression

FIELDS = Schema((Field("t", STRING), Field("u", STRING), Field("n", INT), Field("a", Array(STRING))))


@pytest.mark.parametrize(
    "text",
    [
        "repeat(t, 100)",
        "repeat(repeat(t, 10), 10)",
        "repeat(t, 100) || repeat(u, 100)",
        "sequence(1, n)",
        "transform(sequence(1, n), x -> x * 2)",
        "transform(a, x -> x || ' and more')",
        "transform(sequence(1, 1000), x -> 'text ' || cast(x as string))",
        "case " + " ".join(f"when t = '{at}' then u" for at in range(150)) + " end",
        "length(repeat(t, 100)) + length(repeat(t, 100))",
    ],
)
def test_what_grows_little_is_taken(text: str) -> None:
    assert check_expression(text, FIELDS, ())[1] == []


@pytest.mark.parametrize(
    "text",
    [
        "repeat(repeat(t, 100), 2)",
        "length(repeat(repeat(t, 100), 100))",
        "repeat(repeat(t, 100) || u, 2)",
        f"concat({', '.join(['t'] * 101)})",
        "array_repeat(array_repeat(a, 11), 10)",
        "transform(a, x -> repeat(x, 100) || x)",
        f"transform(a, x -> '{'y' * 101}')",
        "repeat(repeat(repeat(repeat('0123456789', 100), 100), 10), 10)",
        f"transform(sequence(1, n), x -> '{'y' * 200}')",
        "case when repeat(repeat(t, 100), 100) = 'x' then 1 end",
        "sequence(1, length(repeat(repeat(t, 100), 100)))",
        "array_repeat(sequence(1, 1000), 100) = array(array_repeat(sequence(1, 1000), 100)[0])"
        " or size(array_repeat(array_repeat(sequence(1, 1000), 100), 100)) > 0",
    ],
)
def test_what_multiplies_is_refused(text: str) -> None:
    problems = check_expression(text, FIELDS, ())[1]
    assert [problem.code for problem in problems] == ["EXPRESSION_INVALID"], problems
    assert "the limit is" in problems[0].message


def test_each_part_is_looked_at_once() -> None:
    began = time.thread_time()
    assert check_expression("repeat(" * 20 + "t" + ", 1)" * 20, FIELDS, ())[1] == []
    assert time.thread_time() - began < 2.0, "it doubled with each level"
