"""Patterns of texts of instants: ``yyyy MM dd HH mm ss``, ``S`` up to nine times, ``XXX``, quoted text and
punctuation (`docs/semantics/time.md#texts`).
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from jobs.base.instants import Instant, instant_of
from jobs.base.iso_times import in_years

MAX_LENGTH: Final = 100
_GROUPS: Final = ("yyyy", "MM", "dd", "HH", "mm", "ss", "XXX")
# A letter group may not touch another of the same letter: Java would read MMMM as a month's name. Brackets,
# braces and # mean something else to Java, too.
_PIECE: Final = re.compile(
    "|".join(f"(?<!{group[0]}){group}(?!{group[0]})" for group in _GROUPS)
    + r"|(?<!S)S{1,9}(?!S)|'(?:[^']|'')*'|[^A-Za-z'\[\]{}#]"
)
_PARTS: Final = ("year", "month", "day", "hour", "minute", "second")
_FIELDS: Final = {
    "yyyy": "(?P<year>[0-9]{4})",
    "MM": "(?P<month>[0-9]{2})",
    "dd": "(?P<day>[0-9]{2})",
    "HH": "(?P<hour>[0-9]{2})",
    "mm": "(?P<minute>[0-9]{2})",
    "ss": "(?P<second>[0-9]{2})",
    "XXX": "(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})",
}


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


@dataclass(frozen=True, slots=True)
class TimePattern:
    """A compiled pattern; what it does not name is 1970-01-01T00:00:00."""

    regex: re.Pattern[str]

    @property
    def iso(self) -> str:
        """The replacement by which Java makes an ISO text of one that fits."""
        groups = self.regex.groupindex

        def part(name: str, absent: str) -> str:
            return f"${groups[name]}" if name in groups else absent

        day = f"{part('year', '1970')}-{part('month', '01')}-{part('day', '01')}"
        time = f"{part('hour', '00')}:{part('minute', '00')}:{part('second', '00')}"
        return f"{day}T{time}.{part('fraction', '0')}{part('offset', '')}"

    @property
    def java(self) -> str:
        """The regular expression of whole texts for Java."""
        return f"^(?:{self.regex.pattern.replace('(?P<', '(?<')})\\z"

    def read(self, text: str, zone: tzinfo) -> Instant | None:
        """The instant of a text; `zone` is that of texts without an offset.

        None when the text does not fit.
        """
        found = self.regex.fullmatch(text)
        if found is None:
            return None
        parts = {
            "year": "1970",
            "month": "1",
            "day": "1",
            "hour": "0",
            "minute": "0",
            "second": "0",
            **found.groupdict(),
        }
        micros = int(str(parts.get("fraction") or "0").ljust(6, "0")[:6])
        try:
            year, month, day, hour, minute, second = (int(parts[key]) for key in _PARTS)
            zone = _offset(parts.get("offset")) or zone
            return in_years(instant_of(datetime(year, month, day, hour, minute, second, micros, tzinfo=zone)))
        except (ValueError, OverflowError):
            return None


def _offset(text: str | None) -> tzinfo | None:
    """The zone of an offset's text; None without one.

    Raises:
        ValueError: beyond 18:00.
    """
    if text is None or text == "Z":
        return UTC if text else None
    span = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    if span > timedelta(hours=18) or int(text[4:6]) > 59:
        raise ValueError(text)
    return timezone(-span if text[0] == "-" else span)


def compile_pattern(pattern: str) -> TimePattern | None:
    """The compiled pattern, or None when it holds anything else, or one letter group twice
    (`FORMAT_UNSUPPORTED`).
    """
    pieces = pieces_of(pattern)
    if pieces is None:
        return None
    named = [piece for piece in pieces if piece[0].isalpha()]
    if len({piece[0] for piece in named}) != len(named) or not named:
        return None
    return TimePattern(re.compile("".join(_piece_regex(piece) for piece in pieces)))


def _piece_regex(piece: str) -> str:
    if piece in _FIELDS:
        return _FIELDS[piece]
    if piece[0] == "S":
        return f"(?P<fraction>[0-9]{{1,{len(piece)}}})"
    if piece[0] == "'":
        return re.escape(quoted_text(piece))
    return re.escape(piece)
