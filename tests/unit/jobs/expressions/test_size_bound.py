"""How large a value an expression may make of a record."""

import time

import pytest

from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, Array
from jobs.expressions import check_expression
from jobs.expressions.size_bound import MAX_VALUE_BYTES

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
    ("text", "looked_at"),
    [
        ("upper(t) || lower(u)", {}),
        ("to_json(named_struct('k', t))", {}),
        ("replace(t, 'a', 'bb')", {}),
        ("replace(t, u, t)", {}),
        ("regexp_replace(t, '[0-9]+', '<a number>')", {"t": 10}),
        ("regexp_replace(t, ' +', ' ')", {}),
        ("transform(a, x -> replace(x, ',', '; '))", {}),
        ("repeat(t, 100)", {"t": 100}),
        ("length(repeat(t, 100)) + length(repeat(u, 50))", {"t": 100, "u": 50}),
        ("hex(hex(hex(hex(t))))", {"t": 16}),
        ("exists(a, x -> length(repeat(x, 100)) > 5)", {"a": 100}),
        ("transform(a, x -> exists(split(x, ','), y -> repeat(y, 100) = t))", {"a": 800, "t": 1}),
        ("case when repeat(t, 90) = u then 1 end", {"t": 90, "u": 1}),
        ("array_join(a, ' and then some more of it ')", {}),
        ("array_join(split(t, ','), ' and then some more of it ')", {"t": 40}),
        ("from_json(t, 'array<struct<a:int,b:int,c:int,d:int,e:int,f:int>>')", {"t": 19}),
        ("from_json(t, 'struct<a:int,b:int>')", {}),
        ("transform(a, x -> lpad(x, 100, ' '))", {"a": 51}),
        ("transform(a, x -> sha2(x, 512))", {"a": 16}),
        ("transform(a, x -> md5(x) || sha1(x))", {"a": 9}),
        ("transform(a, x -> format_number(length(x), 2))", {"a": 54}),
        ("transform(a, x -> format_timestamp(date '2026-01-01', 'dd.MM.yyyy'))", {}),
        (
            "transform(a, x -> x || format_timestamp(date '2026-01-01', '" + 9 * "dd.MM.yyyy " + "'))",
            {"a": 27},
        ),
        ("transform(a, x -> cast(length(x) as string))", {}),
        ("sha2(repeat(t, 100), 256)", {"t": 100}),
        ("sha2(t, 512) || t", {}),
        ("soundex(repeat(soundex(repeat(t, 20)), 5))", {"t": 100}),
        ("replace(replace(replace(t, '&', '&amp;'), '<', '&lt;'), '\"', '&quot;')", {"t": 20}),
    ],
)
def test_the_engine_looks_at_what_may_become_large(text: str, looked_at: dict[str, int]) -> None:
    expression, problems = check_expression(text, FIELDS, ())
    assert expression is not None, problems
    look = " + ".join(f"{often} * weir_size(`{name}`)" for name, often in looked_at.items())
    if look:
        assert expression.sql.startswith(f"CASE WHEN ({look} <= {MAX_VALUE_BYTES}) THEN ")
        assert expression.nullable
        assert f"NOT ({look} <= {MAX_VALUE_BYTES})" in expression.failures
    else:
        assert "weir_size" not in expression.sql


@pytest.mark.parametrize(
    "text",
    [
        "repeat(repeat(repeat(t, 100), 10), 2)",
        "length(repeat(repeat(t, 100), 100))",
        "repeat(repeat(repeat(t, 100) || u, 5), 3)",
        f"concat({', '.join(['t'] * 1001)})",
        "array_repeat(array_repeat(array_repeat(a, 11), 10), 10)",
        "transform(a, x -> repeat(repeat(x, 100), 11))",
        f"transform(a, x -> '{'y' * 8008}')",
        "hex(" * 10 + "t" + ")" * 10,
        "to_json(array(" * 4 + "t" + "))" * 4,
        "transform(a, x -> replace(x, x, x))",
        "repeat(replace(t, u, t), 17)",
        "repeat(repeat(repeat(repeat('0123456789', 100), 100), 10), 10)",
        f"transform(sequence(1, n), x -> '{'y' * 2000}')",
        "case when repeat(repeat(t, 100), 100) = 'x' then 1 end",
        "sequence(1, length(repeat(repeat(t, 100), 100)))",
        "array_repeat(sequence(1, 1000), 100) = array(array_repeat(sequence(1, 1000), 100)[0])"
        " or size(array_repeat(array_repeat(sequence(1, 1000), 100), 100)) > 0",
        "length(" + 4 * "repeat(soundex(" + "t" + 4 * "), 100)" + ")",
        "size(" + 3 * "flatten(array_repeat(" + "array_repeat('', 100)" + 3 * ", 100))" + ")",
        f"transform(a, x -> array_join(array_repeat('', 50), '{'𝄞' * 100}'))",
        f"transform(a, x -> array_join(array({', '.join(50 * [chr(39) * 2])}), '{'𝄞' * 100}'))",
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
