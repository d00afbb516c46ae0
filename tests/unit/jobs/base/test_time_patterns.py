"""Which patterns of instants are taken, of what they consist, and what texts mean by them."""

from datetime import UTC

import pytest

from jobs.base.instants import instant_text
from jobs.base.time_patterns import compile_pattern, pieces_of, quoted_text


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


@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [
        ("yyyy-MM-dd", "2026-03-04", "2026-03-04T00:00:00.000000Z"),
        ("yyyyMMddHHmmss", "20260304050607", "2026-03-04T05:06:07.000000Z"),
        ("dd/MM/yyyy HH:mm:ss.SSSSSSSSS", "04/03/2026 05:06:07.123456789", "2026-03-04T05:06:07.123456Z"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2026-03-04T05:06:07+02:00", "2026-03-04T03:06:07.000000Z"),
        ("'day' dd 'of' MM yyyy", "day 04 of 03 2026", "2026-03-04T00:00:00.000000Z"),
        ("HH:mm", "05:06", "1970-01-01T05:06:00.000000Z"),
        ("yyyy-MM-dd", "2026-02-30", None),
        ("yyyy-MM-dd", "2026-3-04", None),
        ("yyyy-MM-dd", "2026-03-04 ", None),
        ("HH:mm:ssXXX", "05:06:07+18:30", None),
        ("HH:mm:ssXXX", "05:06:07+0200", None),
    ],
)
def test_reading(pattern: str, text: str, shown: str | None) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is not None
    instant = compiled.read(text, UTC)
    assert (instant_text(instant) if instant is not None else None) == shown


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "EEE",
        "yy",
        "yyyyy",
        "SSSSSSSSSS",
        "dd dd",
        "T",
        "'open",
        "-:",
        "yyyy-MM-ddX",
        "hh:mm a",
        "x" * 200,
    ],
)
def test_what_is_no_pattern(pattern: str) -> None:
    assert compile_pattern(pattern) is None
