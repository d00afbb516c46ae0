"""Parameters that must be literals, with the bounds that keep them harmless."""

from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING
from jobs.expressions.functions.function import Constant

MAX_LENGTH: Final = 1_000


def whole(low: int, high: int, what: str) -> Constant:
    """A whole-number literal between two bounds, both included."""

    def check(value: object) -> str | None:
        return None if type(value) is int and low <= value <= high else f"must be an integer constant from {low} to {high}"

    return Constant(INT, check, what)


def text(what: str, longest: int = MAX_LENGTH) -> Constant:
    """A text literal of bounded length."""

    def check(value: object) -> str | None:
        return None if isinstance(value, str) and len(value) <= longest else f"must be a string literal of at most {longest} characters"

    return Constant(STRING, check, what)


def one_of(words: tuple[str, ...], what: str) -> Constant:
    """A text literal out of a list."""

    def check(value: object) -> str | None:
        return None if value in words else "must be one of " + ", ".join(words)

    return Constant(STRING, check, what)


def truth(what: str) -> Constant:
    """true or false."""

    def check(value: object) -> str | None:
        return None if isinstance(value, bool) else "must be true or false"

    return Constant(BOOLEAN, check, what)
