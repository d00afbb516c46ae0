"""Everything hostile is refused, in every place of an expression and of a measure."""

import json
import time
from pathlib import Path

import pytest

from jobs.base.schemas import Schema
from jobs.expressions import check_condition, check_expression, parse_measure

LIST = json.loads((Path(__file__).parent / "hostile.json").read_text(encoding="utf-8"))
VALUES: list[str] = LIST["values"]
PLACES: list[str] = LIST["places"]
CODES = {
    "EXPRESSION_INVALID",
    "FUNCTION_UNKNOWN",
    "NONDETERMINISTIC",
    "FIELD_UNKNOWN",
    "TYPE_MISMATCH",
    "CAST_UNSUPPORTED",
}


@pytest.mark.parametrize("hostile", VALUES)
def test_hostile_text_is_refused_everywhere(hostile: str, schema: Schema) -> None:
    for place in PLACES:
        text = place.replace("{}", hostile)
        if place != "{}" and hostile.strip() == "":
            continue
        expression, problems = check_expression(text, schema, ("steps", "x", "where"))
        assert expression is None, (text, expression.sql)
        assert problems
        assert {found.code for found in problems} <= CODES, text
        assert all(
            found.span is None or 0 <= found.span[0] < found.span[1] <= len(text) for found in problems
        ), text
        assert check_condition(text, schema, ())[0] is None


@pytest.mark.parametrize("hostile", VALUES)
def test_hostile_text_is_refused_in_measures(hostile: str, schema: Schema) -> None:
    if not hostile.strip() or hostile in ("*", "count(*)", "count(1)", "sum(i)", "array(s)", "[s]"):
        return
    for text in (
        f"max({hostile})",
        f"percentile(d, {hostile})",
        f"count() where ({hostile}) = 'x'",
        f"sum(d) where {hostile}",
    ):
        call, problems = parse_measure(text, schema, ("measures", "x"))
        assert call is None, (text, call)
        assert problems


def test_digits_of_a_type_are_bounded(schema: Schema) -> None:
    expression, problems = check_expression(f"cast(s as decimal({'9' * 5_000}))", schema, ())
    assert expression is None
    assert [found.code for found in problems] == ["CAST_UNSUPPORTED"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "1" + ")" * 10_000,
        "(" * 4_000 + "1" + ")" * 4_000,
        "(" * 30 + "1" + ")" * 30,
        "[" * 3_000,
        "l[" * 400 + "0" + "]" * 400,
        "not " * 2_000 + "c",
        "- " * 4_000 + "i",
        "~" * 4_000 + "i",
        "case when c then " * 400 + "1" + " end" * 400,
        "a" + ".a" * 2_000,
        "i + " * 700 + "i",
        "c or " * 1_000 + "c",
        "'x'" * 1_000_000,
        "x" * 1_000_000,
        "case " + "when i = 1 then 2 " * 10_000 + "end",
        "cast(" * 400 + "i" + " as int)" * 400,
        "upper(" * 400 + "s" + ")" * 400,
        "i in (" + "1," * 3_000 + "1)",
        "`" * 5_001,
        "'" * 5_001,
        "/*" * 3_000,
        "i div " * 60 + "i",
    ],
    ids=range(22),
)
def test_size_and_depth_are_bounded(text: str, schema: Schema) -> None:
    began = time.process_time()
    expression, problems = check_expression(text, schema, ())
    assert expression is None
    assert [found.code for found in problems] == ["EXPRESSION_INVALID"]
    assert time.process_time() - began < 2  # of its own: others may have the processor


@pytest.mark.parametrize("opening", ["date[", "decimal(", "string[", "json((", "enum("])
def test_words_of_types_around_each_other_take_no_longer_than_other_words(
    opening: str, schema: Schema
) -> None:
    depth = 24 // (opening.count("(") or 1)
    closing = "".join({"[": "]", "(": ")"}.get(sign, "") for sign in reversed(opening))
    began = time.process_time()
    expression, _ = check_expression(opening * depth + "1" + closing * depth, schema, ())
    assert expression is None
    assert time.process_time() - began < 2
