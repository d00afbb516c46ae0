"""Cells of CSV files that are safe to open in a spreadsheet."""

import json
import re
from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def cell(value: Any) -> Any:
    """A value as a cell; a text that a spreadsheet would run as a formula gets an apostrophe in front.

    A negative number isn't a formula, and with an apostrophe no sum would count it: decimals come as texts.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    is_formula = isinstance(value, str) and text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return "'" + text if is_formula else text
