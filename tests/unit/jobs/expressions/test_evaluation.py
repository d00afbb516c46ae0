"""Conditions in plain Python give what Spark gives: the values of the conformance test, wherever Python computes them at all."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from jobs.base.schemas import schema_from_json
from jobs.expressions import FUNCTIONS
from jobs.expressions.bind import bind
from jobs.expressions.evaluation import compile_tree, condition
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.refusals import Refused
from tests.support.shown import shown

CASES = json.loads((Path(__file__).parents[3] / "integration/expressions/values.json").read_text(encoding="utf-8"))
ROW: dict[str, Any] = {
    "i0": 0, "i7": 7, "imin": -(2**31), "imax": 2**31 - 1, "lmin": -(2**63), "lmax": 2**63 - 1, "m1": -1,
    "d0": 0.0, "d25": -2.5, "nan": float("nan"), "inf": float("inf"), "big": 1e300,
    "m": Decimal("12345678.99"), "mm": Decimal("9999999999999999999999999999.9999999999"), "tiny": Decimal("0.0000001"),
    "s19": "1.9", "s12": " 12 ", "sabc": "12abc", "st": " T ",
    "ts": datetime(2026, 1, 1, 10, 0, 0, 123456, UTC), "told": datetime(1969, 12, 31, 23, 59, 59, 500000, UTC),
    "tmax": datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "dy": date(2026, 1, 31),
    "ni": None, "nb": None, "by": b"\xffA", "arr": [1, 2], "mp": {"a": 1}, "tr": True, "uni": "Žluťoučký",
}  # fmt: skip
SCHEMA = schema_from_json(CASES["fields"])


def computed(text: str) -> Any:
    parsed, _ = parse_tokens(tokens_of(text, ())[0], text, ())
    assert parsed is not None, text
    return shown(compile_tree(bind(parsed.tree, SCHEMA))(ROW))


def test_what_is_computed_equals_what_spark_gives() -> None:
    wrong, refused = [], 0
    for text, _, value, _ in CASES["cases"]:
        try:
            found = computed(text)
        except (Refused, KeyError):
            refused += 1
            continue
        if found != value:
            wrong.append((text, found, value))
    assert not wrong
    assert len(CASES["cases"]) - refused > 60, "most cases are refused; the comparison means nothing"


def test_examples_of_functions_that_are_computed_come_out() -> None:
    wrong, seen = [], 0
    for function in FUNCTIONS.values():
        for form in function.signatures:
            for text, value in form.examples:
                try:
                    found = computed(text)
                except Refused:
                    continue
                seen += 1
                if found != shown(value):
                    wrong.append((text, found, value))
    assert not wrong
    assert seen > 40


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("s19 = '1.9' AND i7 > 5", True),
        ("ni > 1 OR i7 = 7", True),
        ("ni > 1 AND i7 = 7", False),
        ("NOT (ni > 1)", False),
        ("ni IS NULL", True),
        ("i7 IN (1, 7)", True),
        ("i7 NOT IN (1, NULL)", False),
        ("uni LIKE '%ou_k%'", True),
        ("uni ILIKE 'žLU%'", True),
        ("st LIKE ' T\\\\_%'", False),
        ("i7 BETWEEN 7 AND 8", True),
        ("ni BETWEEN 7 AND 8", False),
        ("nan = nan", True),
        ("nan > inf", True),
        ("m > 12345678", True),
        ("ts >= timestamp '2026-01-01T10:00:00Z'", True),
        ("ts - told > duration('1s')", True),
        ("CASE WHEN ni = 1 THEN FALSE ELSE tr END", True),
        ("arr[1] = 2 AND arr[9] IS NULL", True),
        ("mp['a'] = 1", True),
    ],
)
def test_a_condition_is_true_or_not(text: str, truth: bool) -> None:
    holds, problems = condition(text, SCHEMA, ("where",))
    assert holds is not None, problems
    assert holds(ROW) is truth


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("i7", "TYPE_MISMATCH"),
        ("nope = 1", "FIELD_UNKNOWN"),
        ("i7 =", "EXPRESSION_INVALID"),
        ("m + m > 1", "FUNCTION_UNKNOWN"),
        ("uni RLIKE 'a+'", "FUNCTION_UNKNOWN"),
        ("cast(s19 as double) > 1", "CAST_UNSUPPORTED"),
        ("reflect('a', 'b') = 1", "FUNCTION_UNKNOWN"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_reason(text: str, code: str) -> None:
    holds, problems = condition(text, SCHEMA, ("where",))
    assert holds is None
    assert problems[0].code == code
    assert problems[0].message
