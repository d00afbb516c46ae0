"""Literal separators where Spark wants a pattern."""

from typing import Final

from jobs.base.types import STRING
from jobs.expressions.functions.function import LiteralParam
from jobs.expressions.functions.literal_params import text

_TEXT: Final = text("separator literal", 100)


def _complaint(value: object) -> str | None:
    if complaint := _TEXT.check(value):
        return complaint
    return "must not be empty or contain a backslash before E" if value == "" or "\\E" in str(value) else None


SEPARATOR: Final = LiteralParam(STRING, _complaint, "separator literal")


def quoted_pattern(separator: str) -> str:
    """SQL of the pattern that means the text itself; `separator` is the SQL of the text."""
    return f"concat('\\\\Q', {separator}, '\\\\E')"
