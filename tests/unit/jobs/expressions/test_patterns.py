import pytest

from jobs.expressions.patterns import like_complaint, regex_complaint


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
