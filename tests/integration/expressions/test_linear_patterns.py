"""Patterns in Spark: the answers that the web process gives, in time that grows with the text alone."""

import random
import re
import time
from collections.abc import Sequence

import pytest
from pyspark.sql import Row, SparkSession

from jobs.base.schemas import Field, Schema
from jobs.base.types import STRING
from jobs.expressions import check_expression
from jobs.expressions.bind import bind
from jobs.expressions.evaluation import compile_tree
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.patterns import every_match_complaint
from jobs.expressions.plain_spark import plain_sql
from jobs.expressions.texts_sql import string_sql
from tests.support.catastrophic import EVERY_MATCH, LIKES, MEGABYTE, REGEXES, Attack

pytestmark = pytest.mark.integration

GROUPS = 8  # of patterns that are looked at in one query
CALLED = re.compile(r"(weir_[a-z_]+)\(`t`, ('.*')\)", re.DOTALL)
FIELDS = Schema((Field("t", STRING),))


def sql_of(text: str) -> str:
    """Spark SQL of an expression over the text t."""
    expression, problems = check_expression(text, FIELDS, ("test",))
    assert expression is not None, (text, problems)
    return expression.sql


def here(text: str, value: str | None) -> object:
    """The same, computed in the web process."""
    parsed, problems = parse_tokens(tokens_of(text, ())[0], text, ())
    assert parsed is not None, (text, problems)
    return compile_tree(bind(parsed.tree, FIELDS))({"t": value})


def calls_of(attack: Attack) -> list[str]:
    """Every function that takes the pattern, over the field t."""
    pattern = string_sql(attack.pattern)
    texts = [f"regexp_{name}(t, {pattern})" for name in ("like", "substr", "instr")] + [f"regexp_extract(t, {pattern}, 0)"]
    if every_match_complaint(attack.pattern) is None:
        texts += [f"regexp_count(t, {pattern})", f"regexp_extract_all(t, {pattern}, 0)", f"regexp_replace(t, {pattern}, '<$0>')"]
    return texts


def likes_of(attack: Attack) -> list[str]:
    return [f"t {word} {string_sql(attack.pattern)}" for word in ("like", "ilike", "not like")]


def rows_of(spark: SparkSession, texts: Sequence[str], values: Sequence[str | None], rewrite: bool = False) -> list[Row]:
    columns = [plain_sql(sql_of(text)) if rewrite else sql_of(text) for text in texts]
    frame = spark.createDataFrame([(at, value) for at, value in enumerate(values)], "at INT, t STRING")
    return frame.selectExpr("at", *(f"{sql} AS v{at}" for at, sql in enumerate(columns))).orderBy("at").collect()


def short_texts(attack: Attack) -> list[str]:
    """What the pattern is about, in pieces, and odd texts."""
    chance = random.Random(attack.pattern)
    pieces = [attack.pump, attack.begin, attack.end, "a", "b", "@", ".", "é", "\U0001f600", "\n", " ", "1", "-", "_", "\u2028"]
    made = ["".join(chance.choices(pieces, k=chance.randint(0, 8))) for _ in range(6)]
    return ["", attack.begin + attack.pump + attack.end, attack.pump * 3, *made]


@pytest.mark.parametrize("group", range(GROUPS))
def test_answers_are_those_of_the_web_process_and_of_plain_spark(spark: SparkSession, group: int) -> None:
    attacks = [(attack, calls_of) for attack in (*REGEXES, *EVERY_MATCH)] + [(attack, likes_of) for attack in LIKES]
    mine = attacks[group::GROUPS]
    texts = [text for attack, texts_of in mine for text in texts_of(attack)]
    values = [None, *sorted({value for attack, _ in mine for value in short_texts(attack)})]
    wrong = []
    for rewrite in (False, True):
        # Java's own engine would not end with the longer ones, and counts and steps by halves of pairs
        given = [value for value in values if not rewrite or value is None or (len(value) <= 10 and max(value, default="") < "\U00010000")]
        for value, row in zip(given, rows_of(spark, texts, given, rewrite), strict=True):
            for place, text in enumerate(texts):
                if (found := row[f"v{place}"]) != (wanted := here(text, value)):
                    wrong.append((text, value, wanted, found, rewrite))
    assert not wrong, wrong[:10]


def test_no_pattern_takes_longer_than_the_text(spark: SparkSession) -> None:
    """One megabyte each, beside a harmless pattern.

    Java's RE2 follows every place in the pattern that a text may have led to, so what a character costs grows with the pattern, to some
    hundred times that of a harmless one. Of Java's own engine most of these would not end.
    """
    attacks = [(attack, calls_of(attack)[0]) for attack in REGEXES] + [(attack, likes_of(attack)[0]) for attack in LIKES]
    measured = java_seconds(spark, [("regexp_like(t, '[0-9]x')", "a" * MEGABYTE), *((text, attack.text()) for attack, text in attacks)])
    harmless, *took = measured
    for (attack, _), seconds in zip(attacks, took, strict=True):
        print(f"{seconds:.3f} s/MB {attack.pattern[:60]}")
    assert [attack.pattern for (attack, _), seconds in zip(attacks, took, strict=True) if seconds > 100 * harmless + 1] == []


def java_seconds(spark: SparkSession, searches: list[tuple[str, str]]) -> list[float]:
    """What each search takes in the JVM, the second time."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    took = []
    for text, value in searches:
        name, pattern = CALLED.fullmatch(sql_of(text)).groups()  # type: ignore[union-attr]
        kind = jvm.weir.patterns.LikePattern if name == "weir_like" else jvm.weir.patterns.LinearPattern
        searched, given = kind(unquoted(pattern)), jvm.org.apache.spark.unsafe.types.UTF8String.fromString(value)
        searched.matches(given)
        began = time.monotonic()
        searched.matches(given)
        took.append(time.monotonic() - began)
    return took


def unquoted(literal: str) -> str:
    """The text of a literal of Spark SQL without control characters."""
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


@pytest.mark.parametrize("attack", EVERY_MATCH, ids=lambda attack: attack.pattern)
def test_every_match_of_a_long_text(spark: SparkSession, attack: Attack) -> None:
    value = attack.text(MEGABYTE // 4)
    for text in calls_of(attack)[4:]:
        assert rows_of(spark, [text], [value])[0]["v0"] == here(text, value)
