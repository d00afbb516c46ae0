"""Reads FROM: streams, tables and views, table functions, queries in parentheses, and joins."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.clauses import ends_clause, ends_entry
from jobs.sql.reader import MAX_DEPTH, Reader
from jobs.sql.statements import SINK_OPTIONS, Call, FromItem, Join, JoinType, Named, Nested, Query
from jobs.sql.tokens import Name, Slice, is_word
from jobs.sql.values import options

ReadQuery = Callable[[Reader, int], Query]
"""Reads a query at a depth."""

_NAMES: Final = (TokenType.VAR, TokenType.IDENTIFIER)
_JOINS: Final[tuple[tuple[tuple[str, ...], JoinType], ...]] = (
    (("JOIN",), "inner"),
    (("INNER", "JOIN"), "inner"),
    (("LEFT", "JOIN"), "left"),
    (("LEFT", "OUTER", "JOIN"), "left"),
    (("RIGHT", "JOIN"), "right"),
    (("RIGHT", "OUTER", "JOIN"), "right"),
    (("FULL", "JOIN"), "full"),
    (("FULL", "OUTER", "JOIN"), "full"),
    (("LEFT", "SEMI", "JOIN"), "semi"),
    (("LEFT", "ANTI", "JOIN"), "anti"),
)


def relation(reader: Reader, read_query: ReadQuery, depth: int) -> FromItem:
    """Read a relation with its alias.

    Args:
        reader: at the relation.
        read_query: reads a query, for those in parentheses.
        depth: of queries and table functions around.

    Raises:
        SqlError: it has another form.
    """
    _require_depth(reader, depth)
    if reader.at("TABLE", "("):  # Flink's TABLE(TUMBLE(…))
        reader.take("TABLE", "(")
        found = relation(reader, read_query, depth + 1)
        reader.expect(")")
        alias = _alias(reader)
        return replace(found, alias=alias) if isinstance(found, Call) and alias else found
    found = _input(reader, read_query, depth)
    return found if isinstance(found, Call) else replace(found, alias=_alias(reader) or found.alias)


def _require_depth(reader: Reader, depth: int) -> None:
    if depth > MAX_DEPTH:
        message = "Queries and table functions are nested too deeply."
        raise reader.error(message, "Use CREATE VIEW for some of them.")


def _alias(reader: Reader) -> str:
    """The alias, with or without AS; "" for none."""
    if reader.take("AS"):
        return reader.name("an alias").text
    token = reader.peek()
    if token is None or token.token_type not in _NAMES:
        return ""
    rest = [found for at in range(3) if (found := reader.peek(at)) is not None]
    if ends_clause(rest) or any(is_word(token, word) for word in ("ON", "USING", "FOR", "WITH")):
        return ""
    return reader.name("an alias").text


def _call(reader: Reader, function: Name, read_query: ReadQuery, depth: int) -> Call:
    reader.expect("(")
    inputs: list[FromItem] = []
    positional: list[Slice] = []
    named: dict[str, Slice] = {}
    while not reader.take(")"):
        if inputs or positional or named:
            reader.expect(",")
        start = reader.here
        if reader.take("TABLE") or not (inputs or positional or named):
            inputs.append(_input(reader, read_query, depth + 1))
        elif (after := reader.peek(1)) is not None and after.token_type == TokenType.FARROW:
            name = reader.name("a parameter").text.lower()
            reader.take("=>")
            if name in named:
                raise reader.error(f"{name} is given twice.", "", start)
            named[name] = reader.until(ends_entry, "a value")
        else:
            positional.append(reader.until(ends_entry, "a value"))
    alias = _alias(reader) or (inputs[0].alias if inputs else "")
    return Call(function.text.upper(), function.span, tuple(inputs), tuple(positional), named, alias)


def _input(reader: Reader, read_query: ReadQuery, depth: int) -> FromItem:
    """A relation under its own name; only a call has read an alias."""
    _require_depth(reader, depth)
    start = reader.here
    if reader.take("("):
        inner = read_query(reader, depth + 1)
        reader.expect(")")
        return Nested(inner, start, "")
    name = reader.name("a stream, table or view")
    if reader.at("("):
        return _call(reader, name, read_query, depth)
    if reader.take("."):
        port = reader.name("an output of the view")
        return Named(f"{name.text}.{port.text}", (name.span[0], port.span[1]), name.text)
    return Named(name.text, name.span, name.text)


def joins(reader: Reader, read_query: ReadQuery, depth: int) -> tuple[Join, ...]:
    """Read the joins after the first relation; arguments and errors as of `relation`."""
    found: list[Join] = []
    while True:
        start = reader.here
        kind = next((kind for words, kind in _JOINS if reader.take(*words)), None)
        if kind is None:
            if reader.at(","):
                raise reader.error("Joins need keys.", "Use JOIN … ON left.key = right.key.")
            return tuple(found)
        found.append(_join(reader, kind, start, relation(reader, read_query, depth)))


def _join(reader: Reader, kind: JoinType, start: tuple[int, int], right: FromItem) -> Join:
    as_of = None
    if reader.take("FOR", "SYSTEM_TIME", "AS", "OF"):
        as_of = reader.until(_ends_time(), "a time")
        alias = _alias(reader)
        if alias and isinstance(right, Named):
            right = replace(right, alias=alias)
    condition: Slice | None = None
    using: tuple[Name, ...] = ()
    if reader.take("USING"):
        using = tuple(reader.list_of(partial(reader.name, "a field"), "fields"))
    else:
        reader.expect("ON", hint="Joins need keys: JOIN … ON left.key = right.key.")
        condition = reader.until(ends_clause, "a condition")
    given = options(reader) if not _begins_sink(reader) and reader.take("WITH") else {}
    return Join(kind, right, start, condition, using, as_of, given)


def _begins_sink(reader: Reader) -> bool:
    """True before the WITH of CREATE SINK, which may follow a join without options."""
    token = reader.peek(2)
    return reader.at("WITH", "(") and token is not None and token.text.lower() in SINK_OPTIONS


def _ends_time() -> Callable[[Sequence[Token]], bool]:
    """What ends the time of a table: ON, USING, or an alias before them. A field before ON is no alias where
    it begins the time or stands behind a dot.
    """
    before: Token | None = None

    def ends(tokens: Sequence[Token]) -> bool:
        nonlocal before
        last, before = before, tokens[0]
        if any(is_word(tokens[0], word) for word in ("ON", "USING", "AS")):
            return True
        may_be_alias = last is not None and last.token_type != TokenType.DOT and len(tokens) > 1
        is_name = tokens[0].token_type == TokenType.VAR
        return may_be_alias and is_name and any(is_word(tokens[1], word) for word in ("ON", "USING"))

    return ends
