"""Cells of CSV files that are safe to open in a spreadsheet."""

import json
import re
from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_DIGITS: Final = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBER: Final = re.compile(rf"{_DIGITS}|-Infinity")
# What ends a cell for a spreadsheet whose list separator isn't the comma: quotes don't keep a text together
# there, because it doesn't see where they begin.
_INSIDE: Final = re.compile(
    rf"([;\t\r\n])(?=(?:[^\S\t\r\n]|\")*[=+\-@＝＋－＠])(?!{_DIGITS}(?:[;\t\r\n]|\Z))"
)


def cell(value: Any) -> Any:
    """A value as a cell; a text that a spreadsheet would run as a formula gets an apostrophe in front, also
    behind a semicolon, a tab or the end of a line, where others than the comma divide cells.

    A negative number isn't a formula, and with an apostrophe no sum would count it: decimals come as texts.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    is_formula = isinstance(value, str) and text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    text = _INSIDE.sub(r"\1'", text)
    return "'" + text if is_formula else text
