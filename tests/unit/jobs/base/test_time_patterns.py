"""Which patterns of instants are taken, and of what they consist."""

import pytest

from jobs.base.time_patterns import pieces_of, quoted_text


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("yyyy-MM-dd", ["yyyy", "-", "MM", "-", "dd"]),
        ("yyyyMMddHHmmssSSSXXX", ["yyyy", "MM", "dd", "HH", "mm", "ss", "SSS", "XXX"]),
        ("'it''s' ss", ["'it''s'", " ", "ss"]),
        ("''ss", ["''", "ss"]),
        ("'[yyyy]{}#'", ["'[yyyy]{}#'"]),
        ("SSSSSSSSS", ["SSSSSSSSS"]),
        ("ss'S'SS", ["ss", "'S'", "SS"]),
    ],
)
def test_pieces(pattern: str, pieces: list[str]) -> None:
    assert pieces_of(pattern) == pieces


@pytest.mark.parametrize(
    "pattern",
    ["", "[yyyy", "yyyy]", "[MM]", "{yyyy}", "#", "MMMM", "yyyyyyyy", "SSSSSSSSSS", "dddd", "XXXXXX", "yy",
     "Y", "'open", "'a'b", "T", "s" * 3, "-" * 101],
)  # fmt: skip
def test_what_java_would_read_otherwise_is_refused(pattern: str) -> None:
    assert pieces_of(pattern) is None


def test_two_quotes_are_one() -> None:
    assert [quoted_text(piece) for piece in ("'a'", "''", "'it''s'")] == ["a", "'", "it's"]
