"""A part that fails is named and leaves the others; after the section's limit none begins."""

import pytest

from bench.trials import TooLongError, Trials


def _fail(error: Exception) -> int:
    raise error


def test_a_part_that_fails_leaves_the_others() -> None:
    parts = Trials()
    found = [
        parts.run("one", lambda: 1),
        parts.run("two", lambda: _fail(ValueError("no\nbroker"))),
        parts.run("three", lambda: 3),
    ]
    assert found == [1, None, 3]
    assert parts.end() == "two: ValueError: no broker"


def test_nothing_failed() -> None:
    parts = Trials()
    parts.run("one", lambda: None)
    assert parts.end() is None


def test_after_the_limit_no_part_begins() -> None:
    parts, begun = Trials(), []
    parts.run("one", lambda: begun.append(1))
    parts.run("two", lambda: _fail(TooLongError("not done within 5 min")))
    parts.run("three", lambda: begun.append(3))
    assert begun == [1]
    assert parts.end() == "two: TooLongError: not done within 5 min"


def test_nothing_measured_is_a_failure_of_the_section() -> None:
    parts = Trials()
    parts.run("one", lambda: _fail(ValueError("no broker")))
    with pytest.raises(RuntimeError, match="one: ValueError: no broker"):
        parts.end()
