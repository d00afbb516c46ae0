"""Patterns of texts of instants: letters, quoted text, punctuation (`docs/semantics/time.md#texts`)."""

import re
from typing import Final

MAX_LENGTH: Final = 100
_GROUPS: Final = ("yyyy", "MM", "dd", "HH", "mm", "ss", "XXX")
# A letter group may not touch another of the same letter: Java would read MMMM as a month's name. Brackets,
# braces and # mean something else to Java, too.
_PIECE: Final = re.compile(
    "|".join(f"(?<!{group[0]}){group}(?!{group[0]})" for group in _GROUPS)
    + r"|(?<!S)S{1,9}(?!S)|'(?:[^']|'')*'|[^A-Za-z'\[\]{}#]"
)


def pieces_of(pattern: str) -> list[str] | None:
    """The letter groups, quoted texts and single characters of a pattern, in order.

    None when it holds anything else, is empty, or has more than 100 characters.
    """
    pieces: list[str] = _PIECE.findall(pattern)
    if not pieces or "".join(pieces) != pattern or len(pattern) > MAX_LENGTH:
        return None
    return pieces


def quoted_text(piece: str) -> str:
    """The text of a quoted piece; two quotes in it, or nothing else, are one."""
    return piece[1:-1].replace("''", "'") or "'"
