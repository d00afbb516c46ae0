"""Escapes in quoted text as written, of which the tokenizer reads over what it does not know."""

import re
from typing import Final

# one escape: of a character by its number, another that is known, or any other; and runs between escapes
_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-1][0-7]{2}|[\\'\"0bnrtZ%_])|.)|[^\\]+", re.DOTALL
)


def unknown_escape(written: str) -> tuple[int, int] | None:
    """The first escape that stands for nothing: its backslash would be dropped, so that ``'\\d+'`` is ``d+``.

    Args:
        written: a literal with its quotes.

    Returns:
        The characters of the backslash and the one behind it; None where all are known.
    """
    for found in _ESCAPE.finditer(written):
        if written[found.start()] == "\\" and not any(found.groups()):
            return found.start(), found.start() + 2
    return None


def has_lone_surrogate(written: str) -> bool:
    """True for an escape that is half of a character, which the tokenizer makes a question mark.

    Args:
        written: a literal with its quotes.
    """
    high = False
    for found in _ESCAPE.finditer(written):
        code = int(found[1] or found[2] or "0", 16)
        if high != (0xDC00 <= code < 0xE000):
            return True
        high = 0xD800 <= code < 0xDC00
    return high
