import re

import pytest

from jobs.base.durations import DURATION_PATTERN, DurationTextError, parse_duration, seconds_text

S = 1_000_000


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("250ms", 250_000),
        ("1h30m", 5_400 * S),
        ("-5s", -5 * S),
        (" 90s ", 90 * S),
        ("30 min", 1_800 * S),
        ("1 d", 86_400 * S),
        ("1 min 20 s", 80 * S),
        ("0.4 s", 400_000),
        ("3 d 4 h", 76 * 3_600 * S),
        ("\u22121 min 20 s", -80 * S),
        ("5us", 5),
    ],
)
def test_what_documents_have_and_screens_print(text: str, us: int) -> None:
    assert parse_duration(text).us == us
    assert re.search(DURATION_PATTERN, text)
    assert parse_duration(str(parse_duration(text))).us == us


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (45.4, "45 s"),
        (59.6, "1 min"),
        (90, "1 min 30 s"),
        (3_605, "1 h"),
        (5_430, "1 h 30 min"),
        (90_061.4, "1 d 1 h"),
        (86_405, "1 d"),
    ],
)
def test_seconds_as_screens_print_them(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize("text", ["", "soon", "5", "5 x", "s", "1h and 2m", "1..5s", "0.5us", "--5s", "5s-"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(DurationTextError):
        parse_duration(text)
