"""Parts that can fail, inside each other."""

import pytest

from jobs.base.schemas import Field, Schema
from jobs.base.types import DOUBLE, INT, STRING
from jobs.expressions import check_expression
from jobs.expressions.failing_depth import MAX_FAILING_DEPTH

FIELDS = Schema((Field("n", INT), Field("d", DOUBLE), Field("t", STRING)))


def total(field: str, count: int) -> str:
    return " + ".join([field] * count)


@pytest.mark.parametrize(
    "text",
    [
        total("n", MAX_FAILING_DEPTH + 1),
        f"({total('n', 20)}) + ({total('n', 20)})",
        total("d", 70),
        "n" + " + 1L" * 20,
        "cast(n as double)" + " + n" * 60,
        " || ".join(["t"] * 70),
    ],
)
def test_what_stays_small_for_spark_is_taken(text: str) -> None:
    assert check_expression(text, FIELDS, ())[1] == []


@pytest.mark.parametrize(
    "text", [total("n", MAX_FAILING_DEPTH + 2), f"abs({total('n', 40)})", total("n", 60)]
)
def test_what_doubles_too_often_is_refused(text: str) -> None:
    (found,) = check_expression(text, FIELDS, ())[1]
    assert (found.code, "inside each other" in found.message) == ("EXPRESSION_INVALID", True)
