"""Parameters that must be literals, with the bounds that keep them harmless."""

from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING
from jobs.expressions.functions.function import LiteralParam

MAX_LENGTH: Final = 1_000


def integer(low: int, high: int, what: str) -> LiteralParam:
    """An integer literal between two bounds, both included."""

    def check(value: object) -> str | None:
        return (
            None
            if type(value) is int and low <= value <= high
            else f"must be an integer constant from {low} to {high}"
        )

    return LiteralParam(INT, check, what)


def text(what: str, max_length: int = MAX_LENGTH) -> LiteralParam:
    """A text literal of bounded length."""

    def check(value: object) -> str | None:
        return (
            None
            if isinstance(value, str) and len(value) <= max_length
            else f"must be a string literal of at most {max_length} characters"
        )

    return LiteralParam(STRING, check, what)


def one_of(words: tuple[str, ...], what: str) -> LiteralParam:
    """A text literal out of a list."""

    def check(value: object) -> str | None:
        return None if value in words else "must be one of " + ", ".join(words)

    return LiteralParam(STRING, check, what)


def truth(what: str) -> LiteralParam:
    """true or false."""

    def check(value: object) -> str | None:
        return None if isinstance(value, bool) else "must be true or false"

    return LiteralParam(BOOLEAN, check, what)
