"""Texts as literals of Spark SQL. Every literal that holds what a person wrote is written here."""

from typing import Final

INSTANT_PATTERN: Final = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
"""How a timestamp is written (`docs/semantics/types.md`); it has no apostrophe next to a double quote."""

_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string_sql(text: str) -> str:
    """A Spark string literal; every sign that could end or change it is escaped."""
    return (
        "'"
        + "".join(
            _ESCAPES.get(sign) or (f"\\u{ord(sign):04x}" if sign < " " or sign == "\x7f" else sign)
            for sign in text
        )
        + "'"
    )
