"""A plain text as a declared type, as CSV values and text keys hold it.

The texts are those of `docs/semantics/types.md`, unpadded.
"""

import re
from typing import Any, Final

from jobs.base.types import BOOLEAN, DOUBLE, INT, LONG, STRING, DataType
from jobs.formats.json_text import NumberText
from jobs.formats.json_values import WrongType, typed

WHOLE_TEXT: Final = "[+-]?[0-9]{1,19}"
DOUBLE_TEXT: Final = "[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,9})?"

_WHOLE: Final = re.compile(WHOLE_TEXT)
_DOUBLE: Final = re.compile(DOUBLE_TEXT)
_BOOLEANS: Final = {"true": True, "false": False}


def typed_text(text: str, wanted: DataType, at: str = "") -> Any:
    """The value of a text.

    Args:
        text: not trimmed.
        wanted: an atomic type or decimal.
        at: where it stands, for messages.

    Raises:
        WrongType: it is not of that type.
    """
    if wanted == STRING:
        return text
    if wanted == BOOLEAN:
        found = _BOOLEANS.get(text.lower() if text.isascii() else "")
        if found is None:
            raise WrongType(text, wanted, at)
        return found
    if wanted in (INT, LONG):
        if not _WHOLE.fullmatch(text):
            raise WrongType(text, wanted, at)
        return typed(NumberText(str(int(text)), whole=True), wanted, at)
    if wanted == DOUBLE and _DOUBLE.fullmatch(text):
        return float(text)
    return typed(text, wanted, at)
