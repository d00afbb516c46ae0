import pytest

from jobs.base.schemas import Field, Schema
from jobs.base.types import INT
from jobs.expressions import check_expression
from jobs.operators.expression_checks import expression_over
from jobs.operators.relation import Relation

NAMES = [
    "x",
    "Price_2",
    "value",
    "symbol",
    "date",
    "timestamp",
    "null",
    "true",
    "end",
    "case",
    "select",
    "current_date",
    "interval",
    "count",
    "any",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_bare_field_means_what_parsing_it_means(name: str) -> None:
    relation = Relation(Schema((Field(name, INT, nullable=False),)))
    assert expression_over(relation, name, ("here",)) == check_expression(name, relation.readable, ("here",))


def test_fields_that_failed_above_are_not_reported_again() -> None:
    relation = Relation(Schema((Field("x", INT),)), untyped=frozenset({"broken"}))
    assert expression_over(relation, "x + broken", ("here",)) == (None, [])
    assert [p.code for p in expression_over(relation, "x + nothing", ("here",))[1]] == ["FIELD_UNKNOWN"]
    assert expression_over(Relation(Schema(()), has_unknown_fields=True), "anything + 1", ("here",)) == (
        None,
        [],
    )
