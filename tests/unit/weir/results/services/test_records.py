"""Records of results, as the relay and the live hub read them."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from weir.results.services.records import ResultRecordError, read_record


def message(newest: bytes | None) -> Any:
    headers = [] if newest is None else [("newest-input", newest)]
    return cast(
        Any,
        SimpleNamespace(
            partition=lambda: 0,
            offset=lambda: 7,
            timestamp=lambda: (1, 5),
            headers=lambda: headers,
            key=lambda: b'["A"]',
            value=lambda: b'{"n":1}',
        ),
    )


@pytest.mark.parametrize(
    ("newest", "read"), [(b"12", 12), (None, 5_000), (b"-1000", 0), (b"1013609203200000000", 2**60)]
)
def test_a_row_says_how_new_its_input_is_where_that_is_known(newest: bytes | None, read: int) -> None:
    """Records without a Kafka timestamp, which have -1, and those of a producer that writes microseconds for
    milliseconds have results as well.
    """
    found = read_record(message(newest)).newest_input_us
    assert found == (read if read < 2**60 else 1_013_609_203_200_000_000)


@pytest.mark.parametrize("newest", [b"x", b"9223372036854775808", b""])
def test_a_header_that_is_no_number_is_none_of_a_result(newest: bytes) -> None:
    with pytest.raises(ResultRecordError):
        read_record(message(newest))
