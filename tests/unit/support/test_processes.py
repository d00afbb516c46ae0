"""A wait that ends in vain says what it waited for and what was there instead."""

import pytest

from tests.support.processes import wait_until


def test_it_names_the_condition_and_what_it_read() -> None:
    rows = [1, 2]
    with pytest.raises(
        AssertionError, match=r"not within 0 s: three rows; last seen: False, rows = \[1, 2\]"
    ):
        wait_until(lambda: len(rows) == 3, 0, "three rows")


def test_it_asks_what_is_there_at_the_deadline() -> None:
    with pytest.raises(AssertionError, match="last seen: two of three"):
        wait_until(lambda: False, 0, "three rows", lambda: "two of three")
