"""Durations: whole microseconds, written as ``250ms 5s 1m 2h 1d 1w`` or combined as ``1h30m``; the form that
the interface shows is read too (`docs/semantics/time.md#durations`).
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from jobs.base.time_units import SHORT_UNIT_US

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,6})?"
_UNIT: Final = r"(?:min|ms|us|w|d|h|m|s)"
_PART: Final = re.compile(rf"({_NUMBER})\s*({_UNIT})")
DURATION_PATTERN: Final = rf"^\s*[-\u2212]?(?:\s*{_NUMBER}\s*{_UNIT})+\s*$"
"""What `parse_duration` reads: what documents have (``1h30m``), and what screens print (``1 h 30 min``)."""
_SHOWN_UNIT_S: Final = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
_WHOLE: Final = re.compile(DURATION_PATTERN)


class DurationTextError(ValueError):
    """The text is not a duration."""


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A signed span of time in whole microseconds."""

    us: int

    def __str__(self) -> str:
        """The text in the largest possible units, which `parse_duration` reads back: ``1h30m``, ``0s``,
        ``-5s``.
        """
        if self.us == 0:
            return "0s"
        rest, text = abs(self.us), ""
        for unit, size in SHORT_UNIT_US.items():
            count, rest = divmod(rest, size)
            if count:
                text += f"{count}{unit}"
        return ("-" if self.us < 0 else "") + text


ZERO: Final = Duration(0)
MAX_SPAN: Final = Duration(366 * 86_400_000_000)
"""The longest that a contract or document may ask for, where it says nothing else."""


def parse_duration(text: str) -> Duration:
    """Parse a duration such as ``5s``, ``1h30m``, ``-250ms``, ``1 min 20 s`` or ``0.4 s``.

    Raises:
        DurationTextError: the text has another form, or is no whole number of microseconds.
    """
    total = sum((_part(number, unit) for number, unit in _PART.findall(text)), Fraction(0))
    if not _WHOLE.match(text) or total.denominator != 1:
        raise DurationTextError(
            f"{text!r} is not a duration; write it as 250ms, 5s, 30 min, 2h, 1 d, 1w or combined as 1h30m"
        )
    return Duration(-int(total) if text.strip().startswith(("-", "\u2212")) else int(total))


def seconds_text(seconds: float) -> str:
    """Seconds as screens print them, in whole numbers of the two largest units: ``45 s``, ``1 h 30 min``."""
    rest = round(seconds)
    parts: list[tuple[int, str]] = []
    for unit, size in _SHOWN_UNIT_S.items():
        count, rest = divmod(rest, size)
        if count or parts:
            parts.append((count, unit))
    return " ".join(f"{count} {unit}" for count, unit in parts[:2] if count) or "0 s"


def _part(number: str, unit: str) -> Fraction:
    return Fraction(number) * SHORT_UNIT_US["m" if unit == "min" else unit]
