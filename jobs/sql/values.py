"""Values of options and arguments: texts, numbers, intervals, lists."""

from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Final

from sqlglot.tokenizer_core import TokenType

from jobs.base.durations import Duration, DurationTextError, parse_duration
from jobs.sql.reader import MAX_DEPTH, Reader
from jobs.sql.statements import Options, Written
from jobs.sql.tokens import Name, is_word

UNIT_US: Final = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 604_800_000_000,
}
MAX_DIGITS: Final = 18
"""Of a whole number; one with more is read as a double."""
MAX_US: Final = 10**18  # far above the longest duration of a document, and quickly written out
_INTERVALS: Final = "Example: INTERVAL '10' SECOND. Units: microsecond to week."


def interval(reader: Reader) -> Duration:
    """Read ``INTERVAL '10' SECOND`` or ``INTERVAL '1h30m'``; a sign may stand before the number.

    Raises:
        SqlError: it is none, or no whole number of microseconds.
    """
    reader.expect("INTERVAL", hint=_INTERVALS)
    span = reader.here
    negative = reader.take("-")
    token = reader.peek()
    if token is not None and token.token_type == TokenType.NUMBER:
        length = reader.number_text(token)
    else:
        length = reader.text("the length of an interval")
    unit = reader.peek()
    size = None if unit is None else UNIT_US.get(unit.text.upper().removesuffix("S"))
    try:
        if size is None or unit is None:
            found = parse_duration(length)
        else:
            reader.take(unit.text.upper())
            found = _of_unit(length, size)
    except (DurationTextError, InvalidOperation, ArithmeticError) as error:
        raise reader.error("This isn't an interval.", _INTERVALS, span) from error
    return Duration(-found.us) if negative else found


def _of_unit(length: str, size: int) -> Duration:
    exact = Decimal(length.strip()) * size
    if abs(exact) > MAX_US or exact != int(exact):
        raise ArithmeticError
    return Duration(int(exact))


def options(reader: Reader) -> Options:
    """Read ``(name = value, …)``; names are in lower case, with or without quotes."""

    def entry() -> tuple[Name, Written]:
        start = reader.here
        token = reader.peek()
        is_quoted = token is not None and token.token_type == TokenType.STRING
        name = reader.text("an option") if is_quoted else reader.name("an option").text
        reader.expect("=")
        return Name(name.lower(), start), value(reader)

    return reader.named_list(entry, "options")


def value(reader: Reader, depth: int = 0) -> Written:
    """Read a value: quoted text, number, TRUE, FALSE, interval, ``('a', 'b')`` or ``(name = value, …)``.

    Raises:
        SqlError: something else stands there, or values are nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise reader.error("Values are nested too deeply.", "Remove some of the parentheses.")
    start = reader.here
    found = _value(reader, start, depth)
    return Written(found, (start[0], reader.read_to))


def _value(reader: Reader, start: tuple[int, int], depth: int) -> object:
    token = reader.peek()
    if token is None:
        raise reader.error("A value is missing.")
    if token.token_type == TokenType.STRING:
        return reader.text("a value")
    if is_word(token, "INTERVAL"):
        return interval(reader)
    for word, known in (("TRUE", True), ("FALSE", False)):
        if reader.take(word):
            return known
    if token.token_type == TokenType.L_PAREN:
        if _is_assignment(reader):
            return _members(reader, depth + 1)
        return reader.list_of(lambda: value(reader, depth + 1), "values")
    if token.token_type == TokenType.NUMBER:
        return number(reader)
    raise reader.error("Expected a value in quotes, a number, TRUE, FALSE or an interval.", "", start)


def _is_assignment(reader: Reader) -> bool:
    sign = reader.peek(2)
    return sign is not None and sign.token_type == TokenType.EQ


def _members(reader: Reader, depth: int) -> Options:
    """As `options`, but names keep their case: they are fields."""

    def entry() -> tuple[Name, Written]:
        name = reader.name("a field")
        reader.expect("=")
        return name, value(reader, depth)

    return reader.named_list(entry, "fields")


def number(reader: Reader) -> int | float:
    """Read a number without sign.

    Raises:
        SqlError: none comes next, or it is too large.
    """
    token = reader.peek()
    if token is None or token.token_type != TokenType.NUMBER:
        raise reader.error("Expected a number.")
    span = reader.here
    text = reader.number_text(token)
    found = int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else float(text)
    if not isfinite(found):
        raise reader.error("The number is too large.", "", span)
    return found
