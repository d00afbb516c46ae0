"""What letters say, and what a record that is sent again carries."""

import pytest

from jobs.formats import dead_letters as letters
from jobs.formats.dead_letters import own_headers, read_letter, redriven_headers, times_redriven

SAID: list[tuple[str, bytes | None]] = [
    (letters.TOPIC, b"trades"),
    (letters.TOPIC_ID, b"id-1"),
    (letters.PARTITION, b"3"),
    (letters.OFFSET, b"41"),
    (letters.TIMESTAMP, b"1750000000000"),
    (letters.REJECTED_BY, b"decode"),
    (letters.REASON, b"NOT_JSON"),
    (letters.KEY, b"\xffkey"),
]


def test_a_letter_says_where_it_came_from() -> None:
    letter = read_letter([("trace", b"7"), *SAID])
    assert letter is not None
    assert (letter.place, letter.topic_id, letter.timestamp_ms) == ("trades/3/41", "id-1", 1_750_000_000_000)
    assert (letter.rejected_by, letter.reason, letter.key, letter.times, letter.original_size) == (
        "decode",
        "NOT_JSON",
        b"\xffkey",
        0,
        None,
    )


@pytest.mark.parametrize(
    "headers",
    [
        [],
        SAID[1:],
        [*SAID[:2], (letters.PARTITION, b"three"), *SAID[3:]],
        [*SAID[:2], (letters.PARTITION, None), *SAID[3:]],
        [*SAID[:1], (letters.TOPIC_ID, b"\xff"), *SAID[2:]],
    ],
)
def test_what_no_guard_wrote_is_no_letter(headers: list[tuple[str, bytes | None]]) -> None:
    assert read_letter(headers) is None


def test_sending_again_keeps_own_headers_and_counts() -> None:
    first = read_letter([("trace", b"7"), *SAID])
    assert first is not None
    sent = redriven_headers([("trace", b"7"), ("empty", None), *SAID], first, "r1")
    assert sent == [
        ("trace", b"7"),
        ("empty", None),
        (letters.REDRIVEN_FROM, b"trades/3/41"),
        (letters.REDRIVEN_BY, b"r1"),
        (letters.REDRIVEN_TIMES, b"1"),
    ]
    again = read_letter([*sent, *SAID])
    assert again is not None
    assert again.times == 1
    twice = redriven_headers([*sent, *SAID], again, "r2")
    assert [name for name, _ in twice].count(letters.REDRIVEN_FROM) == 1
    assert times_redriven(twice) == 2
    assert own_headers([*sent, *SAID]) == [("trace", b"7"), ("empty", None)]


@pytest.mark.parametrize("said", [b"", b"-1", b"x", b"99999999999", None])
def test_a_count_that_is_none_is_zero(said: bytes | None) -> None:
    assert times_redriven([(letters.REDRIVEN_TIMES, said)]) == 0
