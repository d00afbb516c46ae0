"""JSON texts in Python: each answer is what Spark 4 gave for the same text."""

import json
import time

import pytest

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.expressions.python_functions.json import JSONS

NULL = (None, None, None)


def answers(text: str, path: str) -> tuple[str | None, list[str] | None, int | None]:
    """The value at the path, the keys, and how many elements."""
    value, keys, length = (
        JSONS[name][0].evaluate for name in ("get_json_object", "json_object_keys", "json_array_length")
    )
    return value(text, path), keys(text), length(text)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("{'a': 1}", "$.a", "1"),
        ('{"a":"x\ny\x00"}', "$.a", "x\ny\x00"),
        (r"""{"a":"it\'s"}""", "$.a", "it's"),
        (r"""{'a':['it\'s "q"']}""", "$.a", r"""["it's \"q\""]"""),
        (r"""{'a':'\ud83d\ude00'}""", "$.a", "\U0001f600"),
        (r"""{"a":["\ud83d\ude00"]}""", "$.a", r"""["\uD83D\uDE00"]"""),
        (r"""{"a":"\ud800"}""", "$.a", None),
        (r"""{"a":["\ud800"]}""", "$.a", r"""["\uD800"]"""),
        (r"""{"a":["\u001f\b\/\u007f\u2028"]}""", "$.a", '["\\u001F\\b/\x7f\u2028"]'),
        ('{"a":null,"a":1}', "$.a", "1"),
        ('{"a":{"b":1},"a":{"c":2}}', "$.a.c", "2"),
        ('{"z":{"a":1,"a":2}}', "$.z", '{"a":1,"a":2}'),
        ('{"a":[null,2]}', "$.a[0]", "null"),
        ('{"a":[1,2]}', "$.a[2]", None),
        ('{"a":[-1e400]}', "$.a", '["-Infinity"]'),
        ('{"a":-0}', "$.a", "0"),
        ('{"a":1.0E10}', "$.a", "1.0E10"),
        ("[{'a':1},{'a':2}]", "$[1].a", "2"),
        ("{'a':1} x'", "$.a", "1"),
    ],
)
def test_a_value_at_a_path(text: str, path: str, value: str | None) -> None:
    assert answers(text, path)[0] == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a":NaN}',
        "{'a':-Infinity}",
        "{'a':01}",
        "{'a':1.}",
        "{'a':+1}",
        "{'a':1,}",
        "{'a':1",
        "{'a' 1}",
        "{a:'1'}",
        "{'a':tru}",
        r"{'a':'\x'}",
        r"{'a':'\u12'}",
        "{'a':'x}",
        "{'a':1]",
        "{,}",
        "['a':1]",
        "\ufeff{'a':1}",
        "\x0b{'a':1}",
        "/* c */{'a':1}",
        "{'a':" + "1" * 1001 + "}",
        "{'" + "n" * 50_001 + "':1,'a':2}",
        "{'b':" + "[" * 1000 + "]" * 1000 + ",'a':1}",
        "1x",
        "1,'",
        "truex",
        "",
        "'",
    ],
)
def test_what_is_no_json(text: str) -> None:
    assert answers(text, "$.a") == NULL


@pytest.mark.parametrize("quote", ["'", '"'])
def test_depth_is_that_of_spark_and_not_that_of_the_stack(quote: str) -> None:
    name = f"{quote}a{quote}"
    deep = f"{{{name}:" * 1000 + "1" + "}" * 1000
    written, keys, _ = answers(deep, "$.a")
    assert (written, keys) == ('{"a":' * 999 + "1" + "}" * 999, ["a"])
    assert answers(f"{{{name}:{deep}}}", "$.a") == NULL


@pytest.mark.parametrize(
    ("number", "is_read"),
    [
        ("1" * 1000, True),
        ("1." + "1" * 999, True),
        ("1." + "1" * 1000, False),
        ("-0." + "1" * 1000, True),
        ("0." + "1" * 1001, False),
        ("0." + "1" * 998 + "e5", True),
        ("0." + "1" * 999 + "e5", False),
        ("1e-" + "0" * 998 + "1", True),
        ("1e" + "0" * 999 + "1", False),
    ],
)
def test_numbers_have_as_many_digits_as_spark_reads(number: str, is_read: bool) -> None:
    for text in (f'{{"a":{number}}}', f"{{'a':{number}}}"):
        assert (answers(text, "$.a")[1] == ["a"]) is is_read


def test_keys_come_as_often_as_they_are_written_and_halves_of_characters_as_question_marks() -> None:
    assert answers(r"""{"a":1,'\ud800':2,"a":3}""", "$.b")[1] == ["a", "?", "a"]


def test_lengths_are_of_arrays_alone() -> None:
    assert [answers(text, "$.a")[2] for text in ("['x',[1,2]]", "[]", "{'a':1}", "'ab'")] == [
        2,
        0,
        None,
        None,
    ]


def test_single_quotes_take_linear_time_and_keep_to_the_budget() -> None:
    text = "[" + "''," * 100_000 + "0]"
    began = time.thread_time()
    assert answers(text, "$.a")[2] == 100_001
    assert time.thread_time() - began < 5.0  # on any machine; half a second where nothing else runs
    with bounded(Budget(10**9, 0.01)), pytest.raises(OverBudget):
        answers(text, "$.a")


def test_what_both_readers_take_is_the_same() -> None:
    text = json.dumps({"a": [1, -2.5e-7, "é\n", None, True, {"b": {}, "": [[]]}]})
    assert answers(text, "$.a") == answers(text.replace('"', "'"), "$.a")
