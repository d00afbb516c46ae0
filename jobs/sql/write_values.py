"""Names, texts, durations and expressions as SQL text that `jobs.sql` reads back as they are."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sqlglot.tokenizer_core import TokenType

from jobs.base.durations import Duration, DurationTextError, parse_duration
from jobs.expressions.spark_types import quoted
from jobs.expressions.string_escapes import unknown_escape
from jobs.expressions.texts_sql import string_sql
from jobs.sql.clauses import ends_entry
from jobs.sql.reader import Reader
from jobs.sql.tokens import LITERALS, PLAIN_NAME, Slice, SqlError, is_double_quoted, is_word, statements
from jobs.sql.values import UNIT_US

_RESERVED_WORDS: Final = (
    "all and anti any as between by case cast create cross current distinct div else emit end escape "
    "except exclude exists explain extract false filter following for from full group having ilike in "
    "inner intersect interval into is join lateral left like limit minus natural not null on or order "
    "outer over partition qualify rename replace right rlike rows select semi set some table "
    "tablesample then true try_cast union unique using values when where window with "
)
RESERVED: Final = frozenset(_RESERVED_WORDS.split())
"""Names that are written in backticks, because they would be read as something else in some place."""
_CLOSED_BY: Final = {TokenType.L_PAREN: ")", TokenType.L_BRACKET: "]"}
_CLOSING: Final = (TokenType.R_PAREN, TokenType.R_BRACKET)
_TYPE: Final = re.compile(r"[\w\s<>(),:]+", re.ASCII)
_WORDS: Final = re.compile(r"\w+", re.ASCII)
_SIMPLE: Final = re.compile(r"\w+(?: ?[+*/%<>=] ?\w+)*", re.ASCII)
"""Expressions of names and numbers: none needs parentheses, and most are such."""


class UnsayableError(Exception):
    """Something that SQL has no words for; the text says what."""


def name_sql(name: str) -> str:
    """A name, in backticks where it would be read as something else."""
    is_plain = PLAIN_NAME.fullmatch(name) and name.lower() not in RESERVED
    return name if is_plain else quoted(name)


def reference_sql(reference: str) -> str:
    """A node or its output."""
    return ".".join(map(name_sql, reference.split(".")))


def expression_sql(text: str) -> str:
    """An expression, in parentheses where a part of it would be read as a clause or an alias.

    Raises:
        UnsayableError: it is none, or has comments or a query.
    """
    stripped = text.strip()
    if _SIMPLE.fullmatch(stripped) and not RESERVED.intersection(_WORDS.findall(stripped.lower())):
        return stripped
    whole = _without_all(expression_slice(stripped))
    if is_read_whole(whole):
        return whole.text
    enclosed = expression_slice(f"({whole.text})")
    if not is_read_whole(enclosed):
        raise UnsayableError(f"{stripped[:80]!r} has a query")
    return enclosed.text


def _without_all(written: Slice) -> Slice:
    """The expression with a field ``all`` at its beginning in backticks: SELECT and GROUP BY would take the
    word for their own, and in parentheses it is no field.
    """
    first = written.tokens[0]
    if not is_word(first, "ALL"):
        return written
    return expression_slice(f"{quoted(first.text)}{written.text[len(first.text) :]}")


def is_read_whole(written: Slice) -> bool:
    """True if all of it is read as one expression: no part as a clause, an alias or another entry."""
    reader = Reader(written)
    try:
        reader.until(lambda rest: is_word(rest[0], "AS") or ends_entry(rest), "an expression")
    except SqlError:
        return False
    return reader.done


def expression_slice(text: str) -> Slice:
    """The tokens of an expression: one statement, whose brackets close, with text in single quotes. Whatever
    else stands in the document would say something else within SQL.

    Raises:
        UnsayableError: it is none, or has comments or an unknown escape.
    """
    stripped = text.strip()
    try:
        (whole,) = statements(stripped)
    except (SqlError, ValueError) as error:
        raise UnsayableError(f"{stripped[:80]!r} is no expression") from error
    if whole.text != stripped or not _is_balanced(whole):
        raise UnsayableError(f"{stripped[:80]!r} is no expression, or has a comment")
    texts = [token for token in whole.tokens if token.token_type == TokenType.STRING]
    if any(unknown_escape(stripped[token.start : token.end + 1]) is not None for token in texts):
        raise UnsayableError(f"{stripped[:80]!r} has an unknown escape")
    return _single_quoted(whole)


def _is_balanced(written: Slice) -> bool:
    open_signs: list[str] = []
    for token in written.tokens:
        if token.token_type in _CLOSED_BY:
            open_signs.append(_CLOSED_BY[token.token_type])
        elif token.token_type in _CLOSING and (not open_signs or open_signs.pop() != token.text):
            return False
    return not open_signs


def _single_quoted(written: Slice) -> Slice:
    """The expression with ``'x'`` for ``"x"``, which SQL dialects read in two ways."""
    source = written.source
    doubled = [token for token in written.tokens if is_double_quoted(token, source)]
    if not doubled:
        return written
    pieces, at = [], 0
    for token in doubled:
        pieces += [source[at : token.start], string_sql(token.text)]
        at = token.end + 1
    (single,) = statements("".join([*pieces, source[at:]]))
    return single


def type_sql(text: str) -> str:
    """A field's type.

    Raises:
        UnsayableError: it is no list of words, and would end before its end.
    """
    stripped = text.strip()
    depth = 0
    for sign in stripped:
        depth += (sign in "(<") - (sign in ")>")
        if depth < 0 or (depth == 0 and sign == ","):
            break
    else:
        if depth == 0 and _TYPE.fullmatch(stripped):
            return stripped
    raise UnsayableError(f"{stripped[:80]!r} is no type")


def is_field(name: str, expression: str) -> bool:
    """True if the expression is just the field of this name; true, false and null are values."""
    return expression.strip() == name and name.lower() not in LITERALS


def is_constant(expression: str) -> bool:
    """True if the expression is one literal, perhaps in parentheses. GROUP BY takes a number for the place of
    a column.
    """
    first, *more = expression_slice(expression.strip()).enclosed.tokens
    is_literal = first.token_type in (TokenType.STRING, TokenType.NUMBER)
    return not more and (is_literal or any(is_word(first, word.upper()) for word in LITERALS))


def duration_sql(text: str) -> str:
    """A document's duration as an interval.

    Raises:
        UnsayableError: it is no duration.
    """
    try:
        found = parse_duration(text)
    except DurationTextError as error:
        raise UnsayableError(str(error)) from error
    return interval_sql(found)


def interval_sql(found: Duration) -> str:
    """``INTERVAL '90' SECOND``, in the largest unit of which it is a whole number."""
    units = [(unit, size) for unit, size in UNIT_US.items() if unit != "WEEK" and found.us % size == 0]
    unit, size = units[-1] if found.us else ("SECOND", 1)
    return f"INTERVAL '{found.us // size}' {unit}"


def without_nulls(given: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a document without what is null: that says the same as what is left out, and SQL has no word
    for it.
    """
    return {
        name: without_nulls(value) if isinstance(value, Mapping) else value
        for name, value in given.items()
        if value is not None
    }


def value_sql(value: Any) -> str:
    """An option's value: text, number, flag, list, or values by name."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return repr(value)
        case str():
            return string_sql(value)
        case Mapping():
            return f"({', '.join(f'{name_sql(name)} = {value_sql(one)}' for name, one in value.items())})"
        case _:
            return f"({', '.join(map(value_sql, value))})"
