from decimal import Decimal

import pytest

from jobs.base.schemas import Schema
from jobs.base.types import LONG, Array, type_text
from jobs.expressions import MeasureCall, parse_measure
from jobs.expressions.measure_calls import PAIRED
from jobs.operators.measures import MEASURES

PATH = ("steps", "stats", "measures", "x")


def parsed(text: str, schema: Schema) -> MeasureCall:
    call, problems = parse_measure(text, schema, PATH)
    assert problems == []
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("text", "name", "arguments", "options", "where"),
    [
        ("count()", "count", [], {}, None),
        ("count(*)", "count", [], {}, None),
        ("COUNT(i)", "count", ["`i`"], {}, None),
        ("sum(i + 1) where j > 0", "sum", ["try_add(`i`, 1)"], {}, "(`j` > 0)"),
        ("sum(p) WHERE s in ('where', 'x')", "sum", ["`p`"], {}, "(`s` IN ('where', 'x'))"),
        ("count_if(i = 1)", "count_if", ["(`i` = 1)"], {}, None),
        ("any(b)", "any", ["`b`"], {}, None),
        ("all(b)", "all", ["`b`"], {}, None),
        ("first(s)", "first", ["`s`"], {}, None),
        ("percentile(d, 0.5)", "percentile", ["`d`", "0.5BD"], {"1": Decimal("0.5")}, None),
        ("approx_distinct(s, error = 0.02)", "approx_distinct", ["`s`"], {"error": Decimal("0.02")}, None),
        ("distinct_values(s, limit = 5)", "distinct_values", ["`s`"], {"limit": "5"}, None),
        ("corr(d, j)", "corr", ["`d`", "`j`"], {}, None),
    ],
)
def test_accepted(
    text: str, name: str, arguments: list[str], options: dict[str, object], where: str | None, schema: Schema
) -> None:
    call = parsed(text, schema)
    assert (call.name, [argument.sql for argument in call.arguments]) == (name, arguments)
    assert {key: str(value) for key, value in call.options.items()} == {
        key: str(value) for key, value in options.items()
    }
    assert (call.where.sql if call.where else None, call.span) == (where, (0, len(name)))


def test_a_list_of_literals(schema: Schema) -> None:
    for text in ("percentile(d, [0.5, 0.9])", "percentile(d, array(0.5, 0.9))"):
        given = parsed(text, schema).arguments[1]
        assert given.literal == (Decimal("0.5"), Decimal("0.9"))
        assert isinstance(given.type, Array)
        assert type_text(given.type.element) == "decimal(1,1)"


@pytest.mark.parametrize(
    ("text", "code", "span"),
    [
        ("", "EXPRESSION_INVALID", None),
        ("i + 1", "EXPRESSION_INVALID", (0, 5)),
        ("i", "EXPRESSION_INVALID", (0, 1)),
        ("where i > 1", "EXPRESSION_INVALID", None),
        ("sum(i) where", "EXPRESSION_INVALID", None),
        ("sum(i) where j", "TYPE_MISMATCH", (13, 14)),
        ("sum(i) where j > 0 where j > 1", "EXPRESSION_INVALID", (19, 24)),
        ("sum(x)", "FIELD_UNKNOWN", (4, 5)),
        ("sum(i) where x > 1", "FIELD_UNKNOWN", (13, 14)),
        ("sum(i", "EXPRESSION_INVALID", (4, 5)),
        ("sum(distinct i)", "EXPRESSION_INVALID", (13, 14)),
        ("`sum`(i)", "EXPRESSION_INVALID", (0, 8)),
        ("builtin.sum(i)", "EXPRESSION_INVALID", (0, 14)),
        ("percentile(d, [i])", "TYPE_MISMATCH", None),
        ("sum(i); drop table x", "EXPRESSION_INVALID", (6, 7)),
    ],
)
def test_refused(text: str, code: str, span: tuple[int, int] | None, schema: Schema) -> None:
    call, problems = parse_measure(text, schema, PATH)
    assert call is None
    assert [(found.code, found.span, found.path) for found in problems] == [(code, span, PATH)]


def test_a_measured_list_is_typed_like_any_other(schema: Schema) -> None:
    """It had the type of its first item, whatever the others were."""
    call, problems = parse_measure("last(array(1, 3000000000))", schema, PATH)
    assert call is not None, problems
    assert call.arguments[0].type == Array(LONG, nullable=False)
    assert parse_measure("last(array(1, 'x'))", schema, PATH)[1][0].code == "TYPE_MISMATCH"
    fields, problems = parse_measure("last(array(i, 2))", schema, PATH)
    assert fields is not None, problems


def test_a_comparison_may_be_what_a_value_is_chosen_by(schema: Schema) -> None:
    """It was taken for an option."""
    call, problems = parse_measure("min_by(s, i = 3)", schema, PATH)
    assert call is not None, problems
    assert (len(call.arguments), call.options) == (2, {})
    assert {name for name, one in MEASURES.items() if len(one.columns) == 2} == PAIRED


def test_all_problems_at_once(schema: Schema) -> None:
    _, problems = parse_measure("corr(x1, x2) where x3 > 1", schema, PATH)
    assert [found.span for found in problems] == [(5, 7), (9, 11), (19, 21)]
