import pytest

from jobs.expressions.patterns import FREE_TEXT, group_count, like_complaint, regex_complaint, text_bound


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
    ],
)
def test_regular_expressions_that_are_allowed(pattern: str) -> None:
    assert regex_complaint(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(a|aa)+",
        "(a+)+",
        "(a*)*",
        "((a))+b|(c+){2}",
        "([a-z]+)*",
        "(a?)+" + "b" * 400,
        "(.*)*",
        "(?:a+)+",
        "(a+){2,}",
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
        "(",
        ")",
        "[",
        "*a",
        "a**",
        "|*",
        r"\x41",
        r"\Qa",
        "[a&&b]",
        "a*" * 13,
        "\\",
    ],
)
def test_regular_expressions_that_are_refused(pattern: str) -> None:
    assert regex_complaint(pattern)


@pytest.mark.parametrize("pattern", ["", "a%", "%a%b%", "a_b", r"100\%", r"a\\b", r"\_x"])
def test_like_patterns_that_are_allowed(pattern: str) -> None:
    assert like_complaint(pattern) is None


@pytest.mark.parametrize("pattern", [r"a\b", "\\", "%a" * 7, "x" * 301])
def test_like_patterns_that_are_refused(pattern: str) -> None:
    assert like_complaint(pattern)


@pytest.mark.parametrize(
    ("pattern", "bound"),
    [
        ("abc", FREE_TEXT),
        ("^[a-z]+[0-9]{2}$", FREE_TEXT),
        ("[0-9]+", FREE_TEXT),  # at the end it never goes back
        ("a.*", FREE_TEXT),
        ("a+b", 10_000),  # every a may be a beginning
        (".*error", 10_000),
        ("^.*error.*$", 10_000),
        (".*error.*x", 500),
        (r"^\w+\s+\w+\s+x", FREE_TEXT),  # what stands between tells them apart
        ("a*a*b", 500),
        ("(?:a*)a*b", 500),
        ("^a*a*a*b", 500),
        ("a*a*a*b", 100),
        ("a*|b", 10_000),  # branches are taken as if they followed each other
        (r"\p{L}+[a-z]+x", 500),
        ("a*a*a*a*b", 0),
    ],
)
def test_the_bound_of_a_text_follows_from_what_can_match_the_same(pattern: str, bound: int) -> None:
    assert text_bound(pattern) == bound


def test_groups_are_counted() -> None:
    assert [group_count(pattern) for pattern in ("a", "(a)(?:b)(c)", r"\(a\)", "((a)b)")] == [0, 2, 0, 2]
