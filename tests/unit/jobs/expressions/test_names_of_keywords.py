"""Fields whose names are words of SQL: in backticks all of them are names, and without these most."""

import re

import pytest
from sqlglot import exp

from jobs.base.schemas import schema_from_json
from jobs.base.types import Atomic
from jobs.expressions import check_expression
from jobs.expressions.dialect import DIALECT
from jobs.expressions.parse import parse_tokens, tokens_of

WORDS = sorted(
    {"array", "list", "map", "struct"}
    | {word.lower() for word in DIALECT.tokenizer_class.KEYWORDS if re.fullmatch("[A-Za-z_]+", word)}
)
SHAPES = (
    *("{}", "{}[0]", "{}.a", "f({})", "{} < 1", "{} > 1", "-{}", "not {}", "{} + 1", "{} is null", "({})"),
    *("case when {} then {} else {} end", "case {} when {} then 1 end", "{} between {} and {}"),
    *("transform({}, {} -> {})", "aggregate(x, 0, ({}, y) -> {} + y)", "{} in ({}, 1)", "{} like 'a'"),
    *("cast({} as int)", "try_cast({} as array<int>)", "{}::int", "extract(year from {})"),
    *("s.{}", "s.{}[0]", "{}.{}", "{}[{}]", "{}.{}.{}[0].{}", "f({}[0], {})", "{} || {}", "{} <=> 1"),
    *("{} and {} or {}", "{} * {} % {}"),
)
USUAL = ("call", "comment", "copy", "fetch", "load", "rename", "set", "show", "update", "use", "values")


def tree(shape: str, name: str, quote: str = "`") -> str:
    """What the parser makes of a shape with this name; the name itself is left out."""
    text = shape.replace("{}", f"{quote}{name}{quote}")
    tokens, problems = tokens_of(text, ())
    assert problems == [], text
    parsed, problems = parse_tokens(tokens, text, ())
    assert parsed is not None, (text, problems)
    for node in parsed.tree.find_all(exp.Identifier, exp.Anonymous):
        if node.name.lower() == name:
            node.set("this", "name")
            node.set("quoted", True)
    return repr(parsed.tree)


@pytest.mark.parametrize("shape", SHAPES)
def test_in_backticks_every_word_is_a_name(shape: str) -> None:
    plain = tree(shape, "zz")
    assert [word for word in WORDS if tree(shape, word) != plain] == []


@pytest.mark.parametrize("word", USUAL)
def test_words_of_statements_are_names(word: str) -> None:
    for shape in SHAPES:
        assert tree(shape, word, quote="") == tree(shape, "zz"), shape


@pytest.mark.parametrize("word", ["array", "list"])
def test_an_item_of_a_field_is_no_new_array(word: str) -> None:
    schema = schema_from_json([{"name": word, "type": "array<long>"}])
    checked, problems = check_expression(f"{word}[0]", schema, ("where",))
    assert problems == []
    assert checked is not None
    assert checked.type == Atomic("long")


@pytest.mark.parametrize("word", ["case", "cross", "join", "where", "for", "with", "like"])
def test_what_stays_a_word_of_sql_says_how_it_is_written(word: str) -> None:
    schema = schema_from_json([{"name": word, "type": "long"}])
    _, problems = check_expression(f"{word} > 1", schema, ("where",))
    assert [found.hint for found in problems] == ["If a field has this name, put it in backticks."]
    _, problems = check_expression(f"`{word}` > 1", schema, ("where",))
    assert problems == []
