"""What is accepted is written again, and what is written is accepted again with the same meaning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.base.schemas import Schema
from jobs.expressions import check_expression, parse_measure

pytestmark = pytest.mark.thorough

LITERALS = {
    "int": st.sampled_from(["0", "1", "-7", "2147483647", "-2147483648"]),
    "long": st.sampled_from(["5L", "-7L", "3000000000", "-9223372036854775808L"]),
    "double": st.sampled_from(["1e3", "0.5D", "-2.5e-3"]),
    "decimal": st.sampled_from(["1.50", "0.05", "-12.3", "5BD"]),
    "string": st.text(alphabet="ab'\\\"`%_;-\n\té${}:?", max_size=6).map(
        lambda text: (
            "'"
            + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
            + "'"
        )
    ),
    "boolean": st.sampled_from(["true", "false"]),
    "timestamp": st.sampled_from(["timestamp '2026-01-01T10:00:00Z'", "timestamp '1969-12-31'"]),
    "date": st.sampled_from(["date '2026-01-31'"]),
    "duration": st.sampled_from(["duration('1h30m')", "interval '-5' seconds", "interval '1h30m'"]),
}
FIELDS = {
    "int": st.sampled_from(["i", "j", "l[0]"]),
    "long": st.sampled_from(["n", "m['k']"]),
    "double": st.sampled_from(["d", "a.geo.lat"]),
    "decimal": st.just("p"),
    "string": st.sampled_from(["s", "w", "a.city"]),
    "boolean": st.sampled_from(["b", "c"]),
    "timestamp": st.sampled_from(["t", "u", "_time"]),
    "date": st.just("day"),
    "duration": st.just("(t - u)"),
}
NUMBERS = ("int", "long", "double", "decimal")


def value(kind: str, depth: int) -> st.SearchStrategy[str]:
    simple = LITERALS[kind] | FIELDS[kind]
    if depth == 0:
        return simple
    return simple | st.deferred(lambda: COMPOUND[kind](depth - 1))


def number(depth: int) -> st.SearchStrategy[str]:
    return st.sampled_from(NUMBERS).flatmap(lambda kind: value(kind, depth))


def formed(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda given: template.format(*given))


def conditional(kind: str, depth: int) -> st.SearchStrategy[str]:
    same, condition = value(kind, depth), value("boolean", depth)
    return st.one_of(
        formed("case when {} then {} else {} end", condition, same, same),
        formed("if({}, {})", condition, same),
        formed("coalesce({}, {})", same, same),
        formed("nullif({}, {})", same, same),
        formed("case {} when {} then {} end", same, same, same),
    )


def arithmetic(depth: int) -> st.SearchStrategy[str]:
    sign = st.sampled_from(["+", "-", "*", "/", "%"])
    return st.one_of(
        formed("({} {} {})", number(depth), sign, number(depth)), formed("(- {})", number(depth))
    )


def conditions(depth: int) -> st.SearchStrategy[str]:
    sign = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "<=>"])
    kinds = st.sampled_from([*LITERALS])
    return st.one_of(
        kinds.flatmap(lambda kind: formed("{} {} {}", value(kind, depth), sign, value(kind, depth))),
        kinds.flatmap(lambda kind: formed("{} between {} and {}", *[value(kind, depth)] * 3)),
        kinds.flatmap(lambda kind: formed("({}) not in ({}, {})", *[value(kind, depth)] * 3)),
        kinds.flatmap(lambda kind: formed("({}) is not null", value(kind, depth))),
        formed("({} and {})", value("boolean", depth), value("boolean", depth)),
        formed("({} or not {})", value("boolean", depth), value("boolean", depth)),
        formed("({}) like 'a%\\\\%'", value("string", depth)),
        formed("({}) is distinct from {}", number(depth), number(depth)),
        conditional("boolean", depth),
    )


COMPOUND = {
    "int": lambda depth: st.one_of(
        formed("length({})", value("string", depth)),
        formed("year({})", value("date", depth)),
        formed("cast({} as int)", number(depth)),
    ),
    "long": lambda depth: st.one_of(
        formed("unix_micros({})", value("timestamp", depth)),
        formed("to_micros({})", value("duration", depth)),
    ),
    "double": lambda depth: st.one_of(
        formed("sqrt({})", number(depth)), formed("cast({} as double)", arithmetic(depth))
    ),
    "decimal": lambda depth: st.one_of(
        formed("cast({} as decimal(20,4))", arithmetic(depth)),
        formed("round({}, 1)", value("decimal", depth)),
    ),
    "string": lambda depth: st.one_of(
        formed("upper({})", value("string", depth)),
        formed("({} || {})", value("string", depth), value("string", depth)),
        formed("cast({} as string)", arithmetic(depth)),
        formed("substring({}, {})", value("string", depth), value("int", depth)),
        conditional("string", depth),
    ),
    "boolean": conditions,
    "timestamp": lambda depth: st.one_of(
        formed("({} + {})", value("timestamp", depth), value("duration", depth)),
        formed("date_trunc('hour', {})", value("timestamp", depth)),
        formed("try_cast({} as timestamp)", value("string", depth)),
    ),
    "date": lambda depth: st.one_of(
        formed("to_date({})", value("timestamp", depth)),
        formed("date_add({}, {})", value("date", depth), value("int", depth)),
    ),
    "duration": lambda depth: st.one_of(
        formed("({} - {})", value("timestamp", depth), value("timestamp", depth)),
        formed("({} * {})", value("duration", depth), value("int", depth)),
    ),
}

ANYTHING = st.sampled_from([*LITERALS]).flatmap(lambda kind: value(kind, 3)) | arithmetic(3)


@settings(max_examples=150, deadline=None)
@given(text=ANYTHING)
def test_written_text_means_the_same(text: str, schema: Schema) -> None:
    first, problems = check_expression(text, schema, ())
    if first is None:
        assert problems
        return
    again, problems = check_expression(first.canonical, schema, ())
    assert problems == []
    assert again is not None
    assert (again.canonical, again.type, again.nullable, again.sql, again.failures) == (
        first.canonical,
        first.type,
        first.nullable,
        first.sql,
        first.failures,
    )


SCRAPS = [
    *"ijsbt().,'\"`;+-*/<>=|%[]{}:$?@ \n\\0",
    "case ",
    " when ",
    " then ",
    " end",
    " and ",
    "upper(",
    " cast(",
    " as int",
    "select ",
]
MORE = [
    " in ",
    " like ",
    " is ",
    " not ",
    "null",
    "interval ",
    "timestamp ",
    "date ",
    " between ",
    " div ",
    "::",
    "decimal(",
    "1e",
    "5L",
]


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.sampled_from([*SCRAPS, *MORE]), max_size=20).map("".join))
def test_any_text_is_checked_without_an_exception(text: str, schema: Schema) -> None:
    for expression, problems in (check_expression(text, schema, ()), parse_measure(text, schema, ())):
        assert (expression is None) == bool(problems)
