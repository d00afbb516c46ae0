"""The interpreter gives the same values as Spark: those of the conformance test, where it supports them."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.schemas import Field, Schema, schema_from_json
from jobs.base.types import STRING
from jobs.expressions import FUNCTIONS, interpreter
from jobs.expressions.bind import bind
from jobs.expressions.errors import ExpressionError
from jobs.expressions.interpreter import COMPUTED, compile_tree, condition, expression
from jobs.expressions.parse import parse_tokens, tokens_of
from tests.support.exact_json import exact_json

CASES = json.loads(
    (Path(__file__).parents[3] / "integration/expressions/values.json").read_text(encoding="utf-8")
)
ROW: dict[str, Any] = {
    "i0": 0, "i7": 7, "imin": -(2**31), "imax": 2**31 - 1, "lmin": -(2**63), "lmax": 2**63 - 1, "m1": -1,
    "d0": 0.0, "d25": -2.5, "nan": float("nan"), "inf": float("inf"), "big": 1e300,
    "d63": 2.0**63, "below63": 2.0**63 - 1024, "least63": -(2.0**63), "d31": 2147483647.9,
    "m": Decimal("12345678.99"), "mm": Decimal("9999999999999999999999999999.9999999999"),
    "tiny": Decimal("0.0000001"),
    "m38": Decimal("0.999999999999999999"), "m31": Decimal("2147483647.999999999999999999"),
    "m27": Decimal("99999999999999999.9999999999"),
    "mlate": Decimal("1.99999999999999999999"),
    "s19": "1.9", "s1e3": "1e3", "s12": " 12 ", "sabc": "12abc", "snan": "NaN", "s1d": "1d", "shex": "0x1p3",
    "sinf": "-inf", "st": " T ",
    "sfew": "1e-999999999", "shuge": "1e2147483647", "sslow": "1e-400000000", "se3": "1e-050", "sdev": "७",
    "s100": "0" * 96 + "7.25", "s101": "0" * 97 + "7.25", "sline": "7\u2028", "sdel": "\x7f 1\x7f",
    "jone": "{'a': 1, \"b\": \"it\\'s\"}", "jline": '{"a":"x\ny"}', "jnan": '{"a":NaN}',
    "jdeep": '{"a":' * 1000 + "1" + "}" * 1000, "jdeeper": '{"a":' * 1001 + "1" + "}" * 1001,
    "jhalf": r'{"a":"\ud800","b":["\ud800"]}', "jtwice": '{"a":null,"a":{"b":1,"b":1e400},"a":2}',
    "jname": '{"' + "n" * 50_001 + '":1,"a":2}', "jdigits": '{"a":"' + "1" * 1001 + '"}',
    "jlong": '{"a":' + "1" * 1001 + "}",
    "s10": "10:00", "siso": "2026-01-01 10:00", "siso2": "2026-01-01T10:00:00.1234567+02:00",
    "siso3": "2026-02-30T10:00:00Z",
    "siso4": "2026-01-01T10:00Z", "siso5": "0001-01-01T00:00:00+05:00", "siso6": "2026-01-01 10:00:00 ",
    "siso7": "2026-01-01 10:00:00 Europe/Berlin", "siso8": "2026-1-1", "siso9": "9999-12-31T23:59:59-05:00",
    "ts": datetime(2026, 1, 1, 10, 0, 0, 123456, UTC),
    "told": datetime(1969, 12, 31, 23, 59, 59, 500000, UTC),
    "tmax": datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "dy": date(2026, 1, 31),
    "ni": None, "nb": None, "by": b"\xffA", "arr": [1, 2], "mp": {"a": 1}, "tr": True, "uni": "Žluťoučký",
    "narr": None, "holes": [1, None, 2**31 - 1], "nmap": None, "texts": ["1", "x", None],
    "k38": Decimal("99999999999999999999999999999999999998"), "kfew": Decimal("7E-38"),
    "kneg": Decimal("-4E-38"),
    "q20": Decimal("0.97691920330346405715"), "q17": Decimal("56618836823661467"),
    "tseq": datetime(559, 7, 14, 23, 59, 59, 999999, tzinfo=UTC),
    "tmin": datetime(1, 1, 1, tzinfo=UTC), "tfar": datetime(2942, 10, 8, 15, 31, 58, 846323, UTC),
    "dminf": float("-inf"), "dash5": "--5", "sigma": "ΩΣ ΑΣ Σ",
    "places": [{"a": 1, "b": [10, 20]}, {"a": 2, "b": [30]}],
}  # fmt: skip
NOT_COMPUTED = {name for name in FUNCTIONS if name not in COMPUTED}
PARTLY_COMPUTED = {
    "regexp_like", "regexp_extract", "regexp_extract_all", "regexp_substr", "regexp_instr", "regexp_count",
    "regexp_replace",
    "date_diff", "decode", "to_date",
}  # fmt: skip
SCHEMA = schema_from_json(CASES["fields"])


def computed(text: str) -> Any:
    parsed, _ = parse_tokens(tokens_of(text, ())[0], text, ())
    assert parsed is not None, text
    return exact_json(compile_tree(bind(parsed.tree, SCHEMA))(ROW))


def test_what_is_computed_equals_what_spark_gives() -> None:
    wrong, refused = [], []
    for text, _, value, _ in CASES["cases"]:
        try:
            found = computed(text)
        except ExpressionError:
            refused.append(text)
            continue
        if found != value:
            wrong.append((text, found, value))
    assert not wrong
    assert len(refused) < len(CASES["cases"]) // 8, "much is refused; the comparison means little"


def test_examples_of_functions_that_are_computed_come_out() -> None:
    wrong, refused = [], set()
    for function in FUNCTIONS.values():
        for form in function.signatures:
            for text, value in form.examples:
                try:
                    found = computed(text)
                except ExpressionError:
                    refused.add(function.name)
                    continue
                if found != exact_json(value):
                    wrong.append((text, found, value))
    assert not wrong
    assert refused <= NOT_COMPUTED | PARTLY_COMPUTED
    assert refused >= NOT_COMPUTED, "computed, but called not"


HALF = "\ud800"  # of a pair of surrogates, which reverse or left may give


@pytest.mark.parametrize("function", ["md5", "sha1", "crc32", "hex", "base64", "url_encode", "octet_length"])
def test_half_a_character_has_bytes(function: str) -> None:
    evaluate, problems = expression(f"{function}(c)", Schema((Field("c", STRING),)), ())
    assert evaluate is not None, problems
    assert evaluate({"c": HALF}) is not None


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
        ("m + m > 24691357.97", True),
        ("uni RLIKE '^[^0-9]+$'", True),
        ("'a\\u2028' RLIKE '^a.$'", False),
        ("'a\\n' RLIKE 'a$'", False),
        ("cast(s19 as double) > 1", True),
        ("exists(holes, x -> x > 1)", True),
        ("exists(holes, x -> x = 5) is null", True),
        ("reduce(arr, 0, (sum, x) -> sum + x) = 3", True),
        ("transform(places, p -> array_sum(transform(p.b, y -> y + p.a)))[1] = 32", True),
        ("get_json_object('{\"a\":{\"b\":[1.10,\"x\"]}}', '$.a.b[0]') = '1.1'", True),
        ("hour(ts, 'Europe/Berlin') = 11", True),
        ("sha2(uni, 256) like 'f%' or true", True),
        ("array_sum(places.a) = 3", True),
    ],
)
def test_a_condition_is_true_or_not(text: str, truth: bool) -> None:
    holds, problems = condition(text, SCHEMA, ("where",))
    assert holds is not None, problems
    assert holds(ROW) is truth


PATTERN = "regexp_like(uni, '[kq]*k[kq]{7}')"  # no other test's: what is counted is remembered


def test_a_condition_that_is_too_large_to_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_WORK", 1)
    holds, (found,) = condition(PATTERN, SCHEMA, ("where",))
    assert holds is None
    assert (found.code, found.path) == ("EXPRESSION_INVALID", ("where",))
    assert "too large to check" in found.message
    with bounded(Budget(1)), pytest.raises(OverBudget):  # of who asks for more than this condition
        condition(PATTERN, SCHEMA, ("where",))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("i7", "TYPE_MISMATCH"),
        ("nope = 1", "FIELD_UNKNOWN"),
        ("i7 =", "EXPRESSION_INVALID"),
        ("sin(d25) > 1", "FUNCTION_UNKNOWN"),
        ("array_sum(array(mm)) > 1", "FUNCTION_UNKNOWN"),
        ("from_json(s19, 'array<int>') is null", "FUNCTION_UNKNOWN"),
        ("uni RLIKE '\\\\p{L}+'", "FUNCTION_UNKNOWN"),
        ("cast(d25 as string) = '-2.5'", "CAST_UNSUPPORTED"),
        ("reflect('a', 'b') = 1", "FUNCTION_UNKNOWN"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_reason(text: str, code: str) -> None:
    holds, problems = condition(text, SCHEMA, ("where",))
    assert holds is None
    assert problems[0].code == code
    assert problems[0].message
