"""Durations: exact whole microseconds, written ``250ms 5s 1m 2h 1d 1w``, joined as in ``1h30m``
(`docs/semantics/time.md#durations`).
"""

import re
from dataclasses import dataclass
from typing import Final

from jobs.base.time_units import SHORT_UNIT_US

_PART: Final = re.compile(r"(\d{1,12})(ms|us|w|d|h|m|s)")
_WHOLE: Final = re.compile(r"-?(?:\d{1,12}(?:ms|us|w|d|h|m|s))+")


class DurationTextError(ValueError):
    """A text is not a duration."""


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A signed span of time in whole microseconds."""

    us: int

    def __str__(self) -> str:
        """The shortest text that `parse_duration` reads back: ``1h30m``, ``0s``, ``-5s``."""
        if self.us == 0:
            return "0s"
        rest, text = abs(self.us), ""
        for unit, size in SHORT_UNIT_US.items():
            count, rest = divmod(rest, size)
            if count:
                text += f"{count}{unit}"
        return ("-" if self.us < 0 else "") + text


ZERO: Final = Duration(0)


def parse_duration(text: str) -> Duration:
    """Read a duration such as ``5s``, ``1h30m`` or ``-250ms``.

    Raises:
        DurationTextError: not of that form.
    """
    compact = text.strip()
    if not _WHOLE.fullmatch(compact):
        raise DurationTextError(
            f"{text!r} is not a duration; write it as 250ms, 5s, 1m, 2h, 1d, 1w or combined as 1h30m"
        )
    total = sum(int(count) * SHORT_UNIT_US[unit] for count, unit in _PART.findall(compact))
    return Duration(-total if compact.startswith("-") else total)
