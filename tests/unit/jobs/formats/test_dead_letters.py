"""What dead letters say, and what a record that is sent again carries."""

import pytest

from jobs.formats import dead_letters
from jobs.formats.dead_letters import original_headers, parse_headers, redrive_count, redriven_headers

SAID: list[tuple[str, bytes | None]] = [
    (dead_letters.TOPIC, b"trades"),
    (dead_letters.TOPIC_ID, b"id-1"),
    (dead_letters.PARTITION, b"3"),
    (dead_letters.OFFSET, b"41"),
    (dead_letters.TIMESTAMP, b"1750000000000"),
    (dead_letters.REJECTED_BY, b"decode"),
    (dead_letters.REASON, b"NOT_JSON"),
    (dead_letters.KEY, b"\xffkey"),
]


def test_a_dead_letter_says_where_it_came_from() -> None:
    dead_letter = parse_headers([("trace", b"7"), *SAID])
    assert dead_letter is not None
    assert (dead_letter.coordinates, dead_letter.topic_id, dead_letter.timestamp_ms) == (
        "trades/3/41",
        "id-1",
        1_750_000_000_000,
    )
    assert (
        dead_letter.rejected_by,
        dead_letter.reason,
        dead_letter.key,
        dead_letter.redrive_count,
        dead_letter.original_size,
    ) == (
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
        [*SAID[:2], (dead_letters.PARTITION, b"three"), *SAID[3:]],
        [*SAID[:2], (dead_letters.PARTITION, None), *SAID[3:]],
        [*SAID[:1], (dead_letters.TOPIC_ID, b"\xff"), *SAID[2:]],
    ],
)
def test_what_no_guard_wrote_is_no_dead_letter(headers: list[tuple[str, bytes | None]]) -> None:
    assert parse_headers(headers) is None


def test_sending_again_keeps_own_headers_and_counts() -> None:
    first = parse_headers([("trace", b"7"), *SAID])
    assert first is not None
    sent = redriven_headers([("trace", b"7"), ("empty", None), *SAID], first, "r1")
    assert sent == [
        ("trace", b"7"),
        ("empty", None),
        (dead_letters.REDRIVEN_FROM, b"trades/3/41"),
        (dead_letters.REDRIVEN_BY, b"r1"),
        (dead_letters.REDRIVEN_TIMES, b"1"),
    ]
    again = parse_headers([*sent, *SAID])
    assert again is not None
    assert again.redrive_count == 1
    twice = redriven_headers([*sent, *SAID], again, "r2")
    assert [name for name, _ in twice].count(dead_letters.REDRIVEN_FROM) == 1
    assert redrive_count(twice) == 2
    assert original_headers([*sent, *SAID]) == [("trace", b"7"), ("empty", None)]


@pytest.mark.parametrize("said", [b"", b"-1", b"x", b"99999999999", None])
def test_a_count_that_is_none_is_zero(said: bytes | None) -> None:
    assert redrive_count([(dead_letters.REDRIVEN_TIMES, said)]) == 0
