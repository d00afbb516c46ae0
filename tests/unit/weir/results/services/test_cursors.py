import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.results.services.cursors import (
    Cursor,
    CursorError,
    decode_cursor,
    decode_page,
    encode_cursor,
    encode_page,
)

WHOLE = st.integers(0, 2**63 - 1)


@given(WHOLE, st.text(max_size=40), st.dictionaries(st.integers(0, 1000), WHOLE, max_size=8), WHOLE)
def test_what_is_written_is_read(generation, topic_id, offsets, at_us) -> None:
    cursor = Cursor(generation, topic_id, offsets, at_us)
    assert decode_cursor(encode_cursor(cursor)) == cursor


@given(
    st.text(max_size=300) | st.binary(max_size=200).map(lambda raw: base64.urlsafe_b64encode(raw).decode())
)
def test_any_other_text_is_refused(text: str) -> None:
    try:
        decode_cursor(text)
    except CursorError:
        return


def body(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000, "é", body(), body(2, 1, "t", [], 1), body(1, -1, "t", [], 1), body(1, 1, 5, [], 1),
        body(1, 1, "t", [[0]], 1),
        body(1, 1, "t", [[0, 2**70]], 1), body(1, True, "t", [], 1), body(1, 1, "t", {"a": 1}, 1),
        body(1, 1, "t", [], 1.5),
    ],
)  # fmt: skip
def test_forged_cursors_are_refused(text: str) -> None:
    with pytest.raises(CursorError):
        decode_cursor(text)


def test_page_cursors() -> None:
    assert decode_page(encode_page(2, 5, "abc"), 2) == (5, "abc")
    for text in ("", "2.x.y", "2.-1.a", "2.٣.a", f"2.{2**63}.a", "5.abc", encode_page(1, 5, "abc")):
        with pytest.raises(CursorError):
            decode_page(text, 2)
