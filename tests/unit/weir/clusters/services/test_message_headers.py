"""Headers that the client can read, has none of, or fails at."""

from typing import Any

import pytest

from weir.clusters.services.message_headers import headers_of


class Message:
    """One whose client fails the first time, and gives what it has made by halves from then on."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def headers(self) -> Any:
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found

    def set_headers(self, headers: Any) -> None:
        self.found = headers


TWICE = [("a", b"1"), ("a", None)]


@pytest.mark.parametrize(("found", "expected"), [(None, []), (TWICE, TWICE)])
def test_what_a_record_has(found: Any, expected: Any) -> None:
    message: Any = Message(found)
    assert headers_of(message) == expected


def test_a_name_that_is_no_text_leaves_none_for_good() -> None:
    message: Any = Message(SystemError("returned a result with an exception set"))
    assert headers_of(message) == []
    assert message.headers() == []
