"""Patterns in Spark: the answers that the web process gives, in time that grows with the text alone."""

import random
import re
from collections.abc import Sequence

import pytest
from pyspark.sql import Row, SparkSession

from jobs.base.schemas import Field, Schema
from jobs.base.types import STRING
from jobs.expressions import check_expression
from jobs.expressions.bind import bind
from jobs.expressions.interpreter import compile_tree
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.plain_spark import plain_sql
from jobs.expressions.regex_safety import every_match_complaint, group_count
from jobs.expressions.texts_sql import string_sql
from tests.support.catastrophic import ENDS, EVERY_MATCH, LIKES, MEGABYTE, REGEXES, WRITTEN, Attack

pytestmark = [pytest.mark.integration, pytest.mark.thorough]

GROUPS = 8  # of patterns in one query
GROUPS_IN_EVERY_RUN = (5,)  # each takes some eight seconds of processor time
IN_EVERY_RUN = ("\\ba",)  # of searches for all matches; others need some ten seconds each, too
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
    texts = [f"regexp_{name}(t, {pattern})" for name in ("like", "substr", "instr")] + [
        f"regexp_extract(t, {pattern}, {group})" for group in range(group_count(attack.pattern) + 1)
    ]
    if every_match_complaint(attack.pattern) is None:
        texts += [
            f"regexp_count(t, {pattern})",
            f"regexp_extract_all(t, {pattern}, 0)",
            f"regexp_replace(t, {pattern}, '<$0>')",
        ]
        if last := group_count(attack.pattern):
            texts += [
                f"regexp_extract_all(t, {pattern}, {last})",
                f"regexp_replace(t, {pattern}, '${last}-$1')",
            ]
    return texts


def likes_of(attack: Attack) -> list[str]:
    return [f"t {word} {string_sql(attack.pattern)}" for word in ("like", "ilike", "not like")]


def rows_of(
    spark: SparkSession, texts: Sequence[str], values: Sequence[str | None], rewrite: bool = False
) -> list[Row]:
    columns = [plain_sql(sql_of(text)) if rewrite else sql_of(text) for text in texts]
    frame = spark.createDataFrame([(at, value) for at, value in enumerate(values)], "at INT, t STRING")
    return (
        frame.selectExpr("at", *(f"{sql} AS v{at}" for at, sql in enumerate(columns))).orderBy("at").collect()
    )


def short_texts(attack: Attack) -> list[str]:
    """What the pattern is about, in pieces, and odd texts."""
    chance = random.Random(attack.pattern)
    pieces = [
        attack.pump,
        attack.begin,
        attack.end,
        "a",
        "b",
        "@",
        ".",
        "é",
        "\U0001f600",
        "\n",
        " ",
        "1",
        "-",
        "_",
        "\u2028",
    ]
    made = ["".join(chance.choices(pieces, k=chance.randint(0, 8))) for _ in range(6)]
    return ["", attack.begin + attack.pump + attack.end, attack.pump * 3, *made]


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(group, marks=[] if group in GROUPS_IN_EVERY_RUN else [pytest.mark.long])
        for group in range(GROUPS)
    ],
)
def test_answers_are_those_of_the_web_process_and_of_plain_spark(spark: SparkSession, group: int) -> None:
    attacks = [(attack, calls_of) for attack in (*REGEXES, *EVERY_MATCH, *ENDS)] + [
        (attack, likes_of) for attack in LIKES
    ]
    mine = attacks[group::GROUPS]
    texts = [text for attack, texts_of in mine for text in texts_of(attack)]
    values = [None, *sorted({value for attack, _ in mine for value in short_texts(attack)})]
    wrong = []
    for rewrite in (False, True):
        # Java's own engine would not end with the longer ones, and counts and steps by halves of pairs
        tried = [
            value
            for value in values
            if not rewrite or value is None or (len(value) <= 10 and max(value, default="") < "\U00010000")
        ]
        for value, row in zip(tried, rows_of(spark, texts, tried, rewrite), strict=True):
            for index, text in enumerate(texts):
                if (found := row[f"v{index}"]) != (expected := here(text, value)):
                    wrong.append((text, value, expected, found, rewrite))
    assert not wrong, wrong[:10]


def test_no_pattern_takes_longer_than_the_text(spark: SparkSession) -> None:
    """Under 50 ms per megabyte, of a text made for the pattern or of its letters at random.

    The limit is 12 times what an automaton of a few states takes per megabyte: 4 to 5 ms on an idle machine.
    """
    attacks = [
        (attack, calls_of(attack)[0], text) for attack in REGEXES for text in (attack.text(), attack.mixed())
    ]
    attacks += [(attack, likes_of(attack)[0], attack.text()) for attack in LIKES]
    attacks += [
        (attack, calls_of(attack)[0], attack.mixed())
        for attack in (Attack(pattern, "a1é:/.-@ ") for pattern in WRITTEN)
    ]
    java = Java(spark)
    for _ in range(10):
        harmless = java.seconds("regexp_like(t, '[a-y]+z')", "a" * MEGABYTE)
    took = sorted(
        ((java.seconds(text, value, 12 * harmless), attack.pattern[:60]) for attack, text, value in attacks),
        reverse=True,
    )
    print(
        f"harmless {harmless * 1000:.1f} ms/MB",
        *(f"{1000 * seconds:6.1f} ms/MB {pattern}" for seconds, pattern in took[:15]),
        sep="\n",
    )
    assert [(pattern, seconds) for seconds, pattern in took if seconds > 12 * harmless] == []


class Java:
    """Searches in the JVM, by the processor time of their thread."""

    def __init__(self, spark: SparkSession) -> None:
        jvm = spark.sparkContext._jvm
        assert jvm is not None
        self._jvm = jvm
        self._clock = jvm.java.lang.management.ManagementFactory.getThreadMXBean()

    def seconds(self, text: str, value: str, enough: float = 0.0) -> float:
        """Best of up to five runs, until one is below `enough`.

        Each with a new pattern that matched an empty text.
        """
        name, written = CALLED.fullmatch(sql_of(text)).groups()  # type: ignore[union-attr]
        pattern, searched_text = (
            unquoted(written),
            self._jvm.org.apache.spark.unsafe.types.UTF8String.fromString(value),
        )
        empty = self._jvm.org.apache.spark.unsafe.types.UTF8String.fromString("")
        best = float("inf")
        for _ in range(5):
            if name == "weir_like":
                searched = self._jvm.weir.patterns.LikePattern(pattern)
            else:
                pattern = f"(?:{pattern})"  # other patterns to the engine, which keeps what it has compiled
                searched = self._jvm.weir.patterns.LinearPattern(pattern)
            searched.matches(empty)
            began = self._clock.getCurrentThreadCpuTime()
            searched.matches(searched_text)
            best = min(
                best, (self._clock.getCurrentThreadCpuTime() - began) / 1e9 * MEGABYTE / len(value.encode())
            )
            if best <= enough:
                break
        return best


def test_bytes_that_are_no_text_are_no_end_of_one(spark: SparkSession) -> None:
    """A byte 255 is what re2j takes for the end."""
    row = spark.sql(
        "SELECT weir_regexp_like(t, 'a\\\\z') AS ends, weir_regexp_count(t, '.') AS signs, "
        "weir_regexp_extract(t, 'a(.)b', 1) AS held "
        "FROM VALUES (cast(unhex('61ff62') AS STRING)) AS one(t)"
    ).first()
    assert row is not None
    assert row.asDict() == {"ends": False, "signs": 3, "held": "\ufffd"}


def unquoted(literal: str) -> str:
    """The text of a literal of Spark SQL without control characters."""
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(
            attack, id=attack.pattern, marks=[] if attack.pattern in IN_EVERY_RUN else [pytest.mark.long]
        )
        for attack in EVERY_MATCH
    ],
)
def test_every_match_of_a_long_text(spark: SparkSession, attack: Attack) -> None:
    value = attack.text(MEGABYTE // 4)
    for text in calls_of(attack):
        assert rows_of(spark, [text], [value])[0]["v0"] == here(text, value)
