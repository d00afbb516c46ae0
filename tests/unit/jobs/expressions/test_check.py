import json
from pathlib import Path

import pytest

from jobs.base.schemas import Schema, schema_from_json
from jobs.base.types import INT, Array, type_text
from jobs.expressions import check_condition, check_expression

TABLE = json.loads((Path(__file__).parent / "checked.json").read_text(encoding="utf-8"))
PATH = ("steps", "x", "where")


@pytest.mark.parametrize(
    ("title", "text", "type_", "nullable", "sql"),
    TABLE["accepted"],
    ids=[row[0] for row in TABLE["accepted"]],
)
def test_accepted(title: str, text: str, type_: str, nullable: bool, sql: str | None, schema: Schema) -> None:
    expression, problems = check_expression(text, schema, PATH)
    assert problems == []
    assert expression is not None
    assert (type_text(expression.type), expression.nullable, expression.sql) == (
        type_,
        nullable,
        sql or expression.sql,
    )


@pytest.mark.parametrize(
    ("title", "text", "code", "span", "hint"), TABLE["refused"], ids=[row[0] for row in TABLE["refused"]]
)
def test_refused(
    title: str, text: str, code: str, span: list[int] | None, hint: str | None, schema: Schema
) -> None:
    expression, problems = check_expression(text, schema, PATH)
    assert expression is None
    assert [(found.code, found.path, found.severity) for found in problems] == [(code, PATH, "error")]
    assert (list(problems[0].span) if problems[0].span else None, problems[0].hint) == (
        span,
        problems[0].hint if hint is None else hint,
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nullif(m, m)", "can't be compared"),
        ("nullif(l, l)", "can't be compared"),
        ("get_json_object(s, '$[\\'*\\']')", "without wildcards"),
        ("get_json_object(s, '$[\\' a\\']')", "leading blanks"),
        ("get_json_object(s, '$.a[\\'\\u00a0a\\']')", "leading blanks"),
        ("hour(t, 'ROC')", "IANA time zone"),
        ("hour(t, 'localtime')", "IANA time zone"),
    ],
)
def test_what_spark_would_refuse_or_read_otherwise_is_refused(text: str, says: str) -> None:
    types = {"m": "map<string,int>", "l": "array<map<string,int>>", "s": "string", "t": "timestamp"}
    schema = schema_from_json([{"name": name, "type": type_} for name, type_ in types.items()])
    expression, (problem,) = check_expression(text, schema, PATH)
    assert expression is None
    assert says in problem.message


def test_the_input_fields_that_are_read(schema: Schema) -> None:
    expression, _ = check_expression("case when b then i + j else length(a.city) end", schema, PATH)
    assert expression is not None
    assert (expression.fields, expression.constant) == ({"b", "i", "j", "a"}, False)


def test_constants_and_literals(schema: Schema) -> None:
    literal, _ = check_expression("'x'", schema, PATH)
    computed, _ = check_expression("1 + 1", schema, PATH)
    assert literal is not None
    assert computed is not None
    assert (literal.constant, literal.literal, computed.constant, computed.literal) == (True, "x", True, None)


def test_equal_meaning_gives_equal_canonical_text(schema: Schema) -> None:
    texts = ["i+1>2 AND b", "( (i  +  1) > 2 and b )", "`i` + 1 > 2 And `b`"]
    assert len({check_expression(text, schema, PATH)[0].canonical for text in texts}) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        ("d + 1", ()),
        ("upper(s)", ()),
        # `j` is never null, but state may hold rows from before its contract said so.
        ("j / 2", ("(CAST(`j` AS DOUBLE) IS NOT NULL AND try_divide(CAST(`j` AS DOUBLE), 2.0D) IS NULL)",)),
        ("cast(s as int)", ("(`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL)",)),
        ("try_cast(s as int)", ()),
        (
            "b and cast(s as int) = 1",
            ("(NOT (`b` <=> FALSE) AND (`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL))",),
        ),
        (
            "b or cast(s as int) = 1",
            ("(NOT (`b` <=> TRUE) AND (`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL))",),
        ),
        (
            "coalesce(i, cast(s as int))",
            ("(`i` IS NULL AND (`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL))",),
        ),
        (
            "case when b then cast(s as int) end",
            ("((`b` <=> TRUE) AND (`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL))",),
        ),
        (
            "case when b then 1 else cast(s as int) end",
            ("(NOT (`b` <=> TRUE) AND (`s` IS NOT NULL AND TRY_CAST(`s` AS INT) IS NULL))",),
        ),
    ],
)
def test_failures_are_counted_only_where_a_part_is_evaluated(
    text: str, failures: tuple[str, ...], schema: Schema
) -> None:
    expression, _ = check_expression(text, schema, PATH)
    assert expression is not None
    assert expression.failures == failures


def test_a_field_called_interval_takes_part_in_arithmetic() -> None:
    fields = schema_from_json([{"name": "interval", "type": "int"}])
    expression, problems = check_expression("interval - 5 + interval", fields, PATH)
    assert problems == []
    assert expression is not None
    assert expression.canonical == "((`interval` - 5) + `interval`)"


def test_a_condition_must_be_boolean(schema: Schema) -> None:
    assert check_condition("i > 1", schema, PATH)[1] == []
    expression, problems = check_condition("i + 1", schema, PATH)
    assert expression is None
    assert [(found.code, found.span) for found in problems] == [("TYPE_MISMATCH", (0, 5))]


def test_lists_that_are_nested_deeper_than_a_type_is_written(schema: Schema) -> None:
    """Whether they are a text's, but for nulls inside, is asked of no text."""
    deep = "array_repeat(" * 17 + "'a'" + ", 1)" * 17
    assert check_expression(f"size(reverse({deep}))", schema, PATH)[1] == []
    assert [found.code for found in check_expression(f"upper({deep})", schema, PATH)[1]] == ["TYPE_MISMATCH"]


@pytest.mark.parametrize(
    "text",
    [
        "array_insert(array(array(1)), 1, l)",
        "array_append(array(array(1)), l)",
        "coalesce(array(array(1)), array(l))",
    ],
)
def test_a_list_of_lists_may_hold_what_the_inserted_one_holds(text: str, schema: Schema) -> None:
    expression, problems = check_expression(text, schema, PATH)
    assert problems == []
    assert expression is not None
    assert isinstance(expression.type, Array)
    assert expression.type.element == Array(INT, True)
