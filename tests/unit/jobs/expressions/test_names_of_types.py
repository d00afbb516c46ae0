"""Fields that are called as a type: a ``<`` behind them compares, unless a type stands there."""

import pytest
from sqlglot.parser import Parser

from jobs.base.schemas import schema_from_json
from jobs.expressions import check_expression

WORDS = sorted(
    {
        *(
            "array",
            "bigint",
            "binary",
            "boolean",
            "bytes",
            "char",
            "date",
            "decimal",
            "double",
            "float",
            "int",
            "interval",
            "json",
            "list",
        ),
        *(
            "long",
            "map",
            "nested",
            "nullable",
            "object",
            "range",
            "real",
            "short",
            "string",
            "struct",
            "text",
            "time",
            "timestamp",
        ),
        *("uuid", "variant", "void"),
        *(kind.name.lower() for kind in Parser.NESTED_TYPE_TOKENS if kind.name != "UNION"),  # a word of SQL's
    }
)
SHAPES = (
    "{} < 3",
    "{} < b and b > {}",
    "b < {} and {} <b",
    "case when {} < 3 then 1 else 2 end",
    "cast({} < 3 as string)",
    "({} < 3) = (b > 2)",
    "{} > 3",
    "{} + 1",
)


@pytest.mark.parametrize("word", WORDS)
def test_a_field_called_as_a_type_is_compared(word: str) -> None:
    schema = schema_from_json([{"name": word, "type": "long"}, {"name": "b", "type": "long"}])
    for shape in SHAPES:
        if word == "interval" and shape == "{} + 1":
            continue  # INTERVAL '1' DAY begins like it
        plain, problems = check_expression(shape.replace("{}", word), schema, ("where",))
        quoted, _ = check_expression(shape.replace("{}", f"`{word}`"), schema, ("where",))
        assert problems == [], shape
        assert plain is not None
        assert quoted is not None
        assert plain.canonical == quoted.canonical


@pytest.mark.parametrize(
    "text", ["cast(b as array<array<string>>)", "b::map<string,array<long>>", "try_cast(b as struct<a:int>)"]
)
def test_a_type_stays_a_type(text: str) -> None:
    schema = schema_from_json([{"name": "b", "type": "long"}, {"name": "list", "type": "long"}])
    _, alone = check_expression(text, schema, ("where",))
    _, beside = check_expression(f"list < 3 and size({text}) > 0", schema, ("where",))
    assert [found.message for found in beside] == [found.message for found in alone]
