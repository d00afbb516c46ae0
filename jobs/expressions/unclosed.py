"""Where a quote or comment begins that nothing closes; sqlglot only says that there is one."""

import re
from typing import Final

# quoted text, names, comments, each with its end if it has one; and what stands between
_PIECE: Final = re.compile(
    r"(?P<open>['\"])(?:(?!(?P=open))[^\\]|\\.)*(?P<text>(?P=open))?"
    r"|`[^`]*(?P<name>`)?"
    r"|/\*(?:.*?(?P<comment>\*/))?"
    r"|(?P<between>--[^\n]*|[^'\"`/-]+|.)",
    re.DOTALL,
)


def unclosed(text: str) -> tuple[int, int] | None:
    """The quote or comment that isn't closed, up to the end of its line.

    Returns:
        First and one-past-last character; None where all are closed.
    """
    for piece in _PIECE.finditer(text):
        if piece.lastgroup in (None, "open"):
            line, *_ = text[piece.start() :].splitlines()
            return piece.start(), piece.start() + len(line.rstrip())
    return None
