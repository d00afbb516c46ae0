"""Cells of CSV files that are safe to open in a spreadsheet."""

import json
from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def cell(value: Any) -> Any:
    """A value as a cell; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "'" + text if isinstance(value, str) and text.startswith(_FORMULA) else text
