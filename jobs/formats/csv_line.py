"""One line of separated values (RFC 4180) as its values:
quoted ones hold anything, a quote inside is written twice.
"""

import re
from dataclasses import dataclass
from typing import Final

from jobs.formats.record_formats import CsvEncoding
from jobs.formats.records import Malformed

_LINE_BREAK: Final = re.compile(r"[\r\n]")
_MARK: Final = "\x00"  # stands for a delimiter outside quotes; so a text with it is no CSV


@dataclass(frozen=True, slots=True)
class CsvValue:
    """A value as it stood in the line."""

    text: str
    quoted: bool


def split_line(text: str, encoding: CsvEncoding) -> list[CsvValue] | Malformed:
    """The values of a line, or NOT_CSV; one line break at its end is left out.

    What stands between quotes alternates with what stands outside, whatever it means:
    `jobs.engine.formats.csv_records` takes the same steps in Spark.
    """
    line = text.removesuffix("\n").removesuffix("\r")
    if _MARK in line:
        return Malformed("NOT_CSV", "The line contains a NUL character.")
    segments = line.split(encoding.quote)
    if len(segments) % 2 == 0:
        return Malformed("NOT_CSV", "A quoted value isn't closed.")
    outside = segments[::2]
    if any(_LINE_BREAK.search(segment) for segment in outside):
        return Malformed("NOT_CSV", "Line break outside quotes; each record must be one line.")
    segments[::2] = [segment.replace(encoding.delimiter, _MARK) for segment in outside]
    values = [_value(raw, encoding) for raw in encoding.quote.join(segments).split(_MARK)]
    valid = [value for value in values if value is not None]
    if len(valid) < len(values):
        return Malformed("NOT_CSV", "Unexpected quote inside or after a value.")
    return valid


def _value(raw: str, encoding: CsvEncoding) -> CsvValue | None:
    quote = encoding.quote
    if quote not in raw:
        return CsvValue(raw.strip(" \t") if encoding.trim else raw, False)
    body = raw.strip(" \t") if encoding.trim else raw
    if len(body) < 2 or not (body.startswith(quote) and body.endswith(quote)):
        return None
    inner = body[1:-1]
    if quote in inner.replace(quote * 2, ""):
        return None
    return CsvValue(inner.replace(quote * 2, quote), True)
