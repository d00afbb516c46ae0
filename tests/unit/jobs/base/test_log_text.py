"""A line of a log file as a person reads it."""

import pytest

from jobs.base.log_text import readable


def test_a_line_is_its_fields_as_text() -> None:
    line = '{"time":"T","level":"info","logger":"weir.a","message":"done","process":"web","run":"j.1"}'
    assert readable(line) == "T INFO weir.a: done  run=j.1"


@pytest.mark.parametrize("line", ["", "Traceback (most recent call last):", "{broken", '{"a": 1}', "[1]"])
def test_what_is_not_ours_stays_as_it_is(line: str) -> None:
    assert readable(line) == line
