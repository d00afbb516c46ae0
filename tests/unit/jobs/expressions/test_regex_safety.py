import re
import time
from collections.abc import Callable, Iterable
from functools import partial

import pytest

from jobs.expressions.plain_spark import plain_sql
from jobs.expressions.python_functions.regex import PATTERNS, compiled, like
from jobs.expressions.regex_safety import (
    canonical_regex,
    every_match_complaint,
    group_count,
    like_complaint,
    regex_complaint,
)
from tests.support.catastrophic import (
    EVERY_MATCH,
    IN_VAIN,
    LIKES,
    MANY_STATES,
    MEGABYTE,
    REGEXES,
    WRITTEN,
    Attack,
)

FIND = PATTERNS["regexp_instr"][0].evaluate
EXTRACT = PATTERNS["regexp_extract"][0].evaluate
COUNT = PATTERNS["regexp_count"][0].evaluate
REPLACE = PATTERNS["regexp_replace"][0].evaluate


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "abc",
        "^[a-z]+$",
        "[0-9]{3}-[0-9]{4}",
        r"\d+\.\d*",
        r"(?:ab)?c",
        "(ab){0,1}c",
        r"\p{L}+",
        "a|b",
        "(a|b)c",
        "[^,]*,[^,]*",
        r"\(x\)",
        "a.b",
        "x{2,5}",
        "a?" * 25 + "a" * 25,
        "(a+)+",
        "^(a|aa)+$",
        r"[\w.-]+",
        "a||b",
    ],
)
def test_regular_expressions_that_are_allowed(pattern: str) -> None:
    assert regex_complaint(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(a*)*",
        "(a?)+",
        "(|a)+",
        "(.*)*",
        "(^)*",
        r"(\b)+",
        r"(a)\1",
        r"\k<n>",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<n>a)",
        "(?i)a",
        "(?>a)",
        "a{1001}",
        "a{2,5000}",
        "a{201}",
        "(?:a{20}){11}",
        "(?:a{100}){100}",
        "a{0}",
        "a{3,2}",
        "(",
        ")",
        "[",
        "[]",
        "*a",
        "a**",
        "a++",
        "a{2}{3}",
        "|*",
        r"\x41",
        r"\Qa",
        "[a&&b]",
        "[[:alpha:]]",
        "[z-a]",
        r"[\d-z]",
        r"\p{Greek}",
        r"\p{Alpha}",
        "\\",
        "(a)" * 10,
        "(" * 149 + "a" + ")" * 149,
        "x" * 301,
    ],
)
def test_regular_expressions_that_are_refused(pattern: str) -> None:
    assert regex_complaint(pattern)


@pytest.mark.parametrize("pattern", ["", "a%", "%a%b%", "a_b", r"100\%", r"a\\b", r"\_x", "%a" * 7])
def test_like_patterns_that_are_allowed(pattern: str) -> None:
    assert like_complaint(pattern) is None


@pytest.mark.parametrize("pattern", [r"a\b", "\\", "x" * 301])
def test_like_patterns_that_are_refused(pattern: str) -> None:
    assert like_complaint(pattern)


def test_groups_are_counted() -> None:
    assert [group_count(pattern) for pattern in ("a", "(a)(?:b)(c)", r"\(a\)", "((a)b)")] == [0, 2, 0, 2]


def test_what_an_engine_may_take_in_its_own_way_is_written_out() -> None:
    assert (
        canonical_regex(r"^a.b$")
        == r"\Aa[\x{0}-\x{9}\x{b}-\x{c}\x{e}-\x{84}\x{86}-\x{2027}\x{202a}-\x{10ffff}]b\z"
    )
    assert (
        canonical_regex(r"[\w-]\d\S\p{Lu}")
        == r"[\x{2d}0-9A-Z\x{5f}a-z][0-9][\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{10ffff}][\p{Lu}]"
    )
    assert canonical_regex(r"[^\]x]+?\.") == r"[^\x{5d}x]+?\x{2e}"


@pytest.mark.parametrize("pattern", IN_VAIN)
def test_patterns_that_read_ahead_in_vain_are_not_searched_again_and_again(pattern: str) -> None:
    assert regex_complaint(pattern) is None
    assert "{0,20}" in (every_match_complaint(pattern) or "")


@pytest.mark.parametrize("pattern", [attack.pattern for attack in EVERY_MATCH])
def test_patterns_whose_every_match_may_be_looked_for(pattern: str) -> None:
    assert every_match_complaint(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("", ["", ], ["a"]),
        ("a", ["a"], ["", "b", "aa"]),
        ("%", ["", "abc", "\n"], []),
        ("a%", ["a", "abc"], ["", "ba"]),
        ("%a", ["a", "bca"], ["", "ab"]),
        ("a%a", ["aa", "aba"], ["a", "ab"]),
        ("a_c", ["abc", "a\nc", "a\U0001f600c"], ["ac", "abbc"]),
        ("%b_%b", ["abcb", "bbb", "b\U0001f600xb"], ["bb", "ab"]),
        ("%ab%ba%", ["abba", "xabyba"], ["aba", "baab"]),
        (r"100\%", ["100%"], ["1000"]),
        (r"a\\b", ["a\\b"], ["ab"]),
        (r"\__", ["_x"], ["xx"]),
        ("_%_", ["ab", "abc"], ["a", ""]),
        ("é%", ["éa"], ["e"]),
    ],
)  # fmt: skip
def test_like_matches_whole_texts(pattern: str, matches: list[str], others: list[str]) -> None:
    assert [text for text in matches if not like(pattern)(text)] == []
    assert [text for text in others if like(pattern)(text)] == []


@pytest.mark.parametrize(
    ("text", "pattern", "into", "wanted"),
    [
        ("baac", "a*", "-", "-b--c-"),
        ("éa", "x*", "-", "-é-a-"),
        ("a1b22", "([a-z])([0-9]+)", "$2$1", "1a22b"),
        ("ab", "(x)?b", "<$1>", "a<>"),
        ("a b", r"\b", "|", "|a| |b|"),
    ],
)
def test_replacing_goes_on_as_java_does(text: str, pattern: str, into: str, wanted: str) -> None:
    assert REPLACE(text, pattern, into) == wanted


def test_scripts_have_functions_of_spark_alone() -> None:
    sql = (
        r"(weir_regexp_like(`weir_like(`, '\\b"
        + r"x\'(\\x{2c}') AND weir_like(coalesce(`a`, 'weir_like(1)'), 'a,%')) "
        "OR f(1, weir_regexp_extract(`t`, '(a)', 1))"
    )
    word = "[0-9A-Z_a-z]"
    edge = f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
    assert plain_sql(sql) == (
        rf"((`weir_like(` RLIKE '{edge}x\'(\\x{{2c}}') AND (coalesce(`a`, 'weir_like(1)') LIKE 'a,%')) "
        "OR f(1, regexp_extract(`t`, '(a)', 1))"
    )


def seconds_per_megabyte(search: Callable[[str], object], text: str) -> float:
    """Processor time of this thread."""
    began = time.thread_time()
    search(text)
    return (time.thread_time() - began) * MEGABYTE / len(text.encode())


def search_of(pattern: str) -> Callable[[str], object]:
    """A search whose pattern is compiled, and has met no text."""
    compiled.cache_clear()
    compiled(pattern, groups=False)
    return lambda text: FIND(text, pattern)


def yardstick() -> float:
    """Seconds for a megabyte with an automaton of few states.

    1.7 to 2.5 ms where 20 times of it mean 50 ms.
    """
    return min(seconds_per_megabyte(search_of("[a-y]+z"), "a" * MEGABYTE) for _ in range(5))


def too_slow(searches: Iterable[tuple[str, Callable[[], Callable[[str], object]], str]]) -> dict[str, float]:
    """Patterns and seconds of searches that take more than 20 times the yardstick, three times in a row."""
    bound = 20 * yardstick()
    found = {}
    for pattern, search, text in searches:
        took = bound + 1
        for _ in range(3):
            if (took := min(took, seconds_per_megabyte(search(), text))) <= bound:
                break
        else:
            found[pattern] = took
    return found


@pytest.mark.thorough
def test_no_pattern_takes_longer_than_the_text() -> None:
    """Under 50 ms per megabyte, of a text made for the pattern or of its letters at random."""
    assert len(REGEXES) + len(LIKES) >= 60
    assert [attack.pattern for attack in REGEXES if regex_complaint(attack.pattern)] == []
    assert [attack.pattern for attack in LIKES if like_complaint(attack.pattern)] == []
    regexes = [
        (attack.pattern, partial(search_of, attack.pattern), text)
        for attack in REGEXES
        for text in (attack.text(), attack.mixed())
    ]
    assert not too_slow(
        [*regexes, *((attack.pattern, partial(like, attack.pattern), attack.text()) for attack in LIKES)]
    )


@pytest.mark.thorough
def test_no_pattern_that_people_write_is_refused_or_slow() -> None:
    assert len(WRITTEN) >= 40
    assert {pattern: regex_complaint(pattern) for pattern in WRITTEN if regex_complaint(pattern)} == {}
    assert not too_slow(
        (pattern, partial(search_of, pattern), Attack(pattern, "a1é:/.-@ ").mixed()) for pattern in WRITTEN
    )


@pytest.mark.thorough
@pytest.mark.parametrize("attack", MANY_STATES, ids=lambda attack: attack.pattern)
def test_patterns_whose_states_do_not_end_are_refused_and_not_counted_for_long(attack: Attack) -> None:
    began = time.thread_time()
    assert "use smaller counts" in (regex_complaint(attack.pattern) or "")
    assert time.thread_time() - began < 1.5  # 0.05 to 0.2 s where nothing else runs


@pytest.mark.parametrize("attack", EVERY_MATCH, ids=lambda attack: attack.pattern)
def test_every_match_takes_time_in_the_order_of_the_text(attack: Attack) -> None:
    """Four times the text takes some four times as long, not sixteen times."""
    short, long = (
        min(
            seconds_per_megabyte(lambda text: COUNT(text, attack.pattern), attack.text(size))
            for _ in range(2)
        )
        for size in (MEGABYTE // 80, MEGABYTE // 20)
    )
    assert long < 3 * short + 0.05


def test_answers_are_those_of_a_searcher_that_goes_back_where_that_ends() -> None:
    for attack in REGEXES:
        nested = re.search(r"\)[+*{]", attack.pattern) or attack.pattern.count("a?") > 20
        texts = [
            attack.text(len(attack.begin) + len(attack.end) + size)[:60]
            for size in ((1, 5, 12) if nested else (1, 5, 12, 40))
        ]
        texts += [
            attack.mixed(12)[:12],
            attack.mixed(11)[::-1][:11],
            *(attack.mixed(200)[at : at + 10] for at in range(0, 100, 10)),
        ]
        for text in texts:
            found = re.search(attack.pattern, text, re.ASCII)
            assert FIND(text, attack.pattern) == (found.start() + 1 if found else 0), (attack.pattern, text)
            if found and "\\p" not in attack.pattern:
                wanted = [found.group(group) or "" for group in range(1, group_count(attack.pattern) + 1)]
                assert [
                    EXTRACT(text, attack.pattern, group) for group in range(1, len(wanted) + 1)
                ] == wanted, (attack.pattern, text)


def test_a_digit_behind_the_whole_match_is_a_text_in_a_script_too() -> None:
    """Java would take $01 for the first group."""
    written = plain_sql("weir_regexp_replace(`v`, '([a-z])', '<$01>$1$0x')")
    assert written == "regexp_replace(`v`, '([a-z])', '<$0\\\\1>$1$0x')"
