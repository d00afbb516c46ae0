"""Reads queries: ``[WITH …] SELECT … FROM … [UNION ALL [BY NAME] SELECT …]``."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.clauses import ends_clause, ends_entry
from jobs.sql.reader import MAX_DEPTH, Reader
from jobs.sql.relations import joins, relation
from jobs.sql.statements import Item, Nested, Query, Select, Star
from jobs.sql.tokens import Name, Slice, SqlError, closing, is_word, name_of

MAX_ITEMS: Final = 1_000  # twice as many as a row has fields

_NAMES: Final = (TokenType.VAR, TokenType.IDENTIFIER)
_OPERANDS: Final = (
    *_NAMES,
    TokenType.NUMBER,
    TokenType.STRING,
    TokenType.R_PAREN,
    TokenType.R_BRACKET,
    TokenType.END,
)
_RANKED: Final = "For the first rows of each group use a measure: top_rows(10, by price, [symbol, price])."
_JOINED: Final = "Use JOIN, LEFT JOIN, LEFT SEMI JOIN or LEFT ANTI JOIN, with ON."
_ABSENT: Final[dict[tuple[str, ...], tuple[str, str]]] = {
    ("ORDER", "BY"): ("A stream has no end at which its rows could be ordered.", _RANKED),
    ("LIMIT",): ("A stream has no end, so LIMIT doesn't apply.", _RANKED),
    ("OFFSET",): ("A stream has no end, so OFFSET doesn't apply.", _RANKED),
    ("FETCH", "FIRST"): ("A stream has no end, so FETCH doesn't apply.", _RANKED),
    ("FETCH", "NEXT"): ("A stream has no end, so FETCH doesn't apply.", _RANKED),
    ("QUALIFY",): ("QUALIFY isn't available.", _RANKED),
    ("WINDOW",): (
        "WINDOW isn't available.",
        "Windows of time: FROM TUMBLE(TABLE trades, INTERVAL '1' MINUTE).",
    ),
    ("TABLESAMPLE",): ("TABLESAMPLE isn't available.", "Use FROM SAMPLE(TABLE trades, fraction => 0.1)."),
    ("UNION",): (
        "UNION without duplicates isn't available.",
        "Use UNION ALL, and DEDUPLICATE(TABLE …) over it.",
    ),
    ("INTERSECT",): ("INTERSECT isn't available.", "Use LEFT SEMI JOIN … ON."),
    ("EXCEPT",): ("EXCEPT between queries isn't available.", "Use LEFT ANTI JOIN … ON."),
    ("MINUS",): ("MINUS isn't available.", "Use LEFT ANTI JOIN … ON."),
    ("CROSS", "JOIN"): ("Joins need keys.", "Use JOIN … ON left.key = right.key."),
    **{(word,): (f"{word} joins aren't available.", _JOINED) for word in ("NATURAL", "ASOF", "SEMI", "ANTI")},
    ("LATERAL",): ("LATERAL isn't available.", "Use FROM EXPLODE(TABLE orders, field => items)."),
}
_SETS: Final = (("ALL",), ("ROLLUP", "("), ("CUBE", "("), ("GROUPING", "SETS"))
"""Words after GROUP BY that stand for other keys, or for several groupings."""


def _ends_item(tokens: Sequence[Token]) -> bool:
    return is_word(tokens[0], "AS") or ends_entry(tokens)


def query(reader: Reader, depth: int = 0) -> Query:
    """Read a query.

    Raises:
        SqlError: it has another form, or clauses that streams have no use for.
    """
    if depth > MAX_DEPTH:
        raise reader.error("Queries are nested too deeply.", "Use CREATE VIEW for some of them.")
    views = tuple(_views(reader, depth)) if reader.take("WITH") else ()
    selects = [_select(reader, depth)]
    by_name: bool | None = None
    while True:
        start = reader.here
        if not reader.take("UNION", "ALL"):
            break
        named = reader.take("BY", "NAME")
        if by_name not in (None, named):
            raise reader.error("UNION ALL and UNION ALL BY NAME can't be mixed.", "", start)
        by_name = named
        selects.append(_select(reader, depth))
    return Query(tuple(selects), bool(by_name), views)


def _views(reader: Reader, depth: int) -> list[tuple[Name, Query]]:
    found = []
    while True:
        name = reader.name("a name")
        reader.expect("AS")
        reader.expect("(")
        found.append((name, query(reader, depth + 1)))
        reader.expect(")")
        if not reader.take(","):
            return found


def _select(reader: Reader, depth: int) -> Select:
    span = reader.here
    if reader.take("("):
        inner = query(reader, depth + 1)
        reader.expect(")")
        whole = Nested(inner, span, "")
        return Select(span, (Star(span),), whole, (), None, None, None, None)
    reader.expect("SELECT")
    if reader.at("DISTINCT"):
        hint = "Use FROM DEDUPLICATE(TABLE orders, by => (id), within => INTERVAL '1' HOUR)."
        raise reader.error("SELECT DISTINCT isn't available: it would keep every row forever.", hint)
    reader.take("ALL")
    items = _items(reader)
    reader.expect("FROM")
    source = relation(reader, query, depth)
    joined = joins(reader, query, depth)
    where = reader.until(ends_clause, "a condition") if reader.take("WHERE") else None
    group_by = _group_by(reader)
    having = reader.until(ends_clause, "a condition") if reader.take("HAVING") else None
    emit = _emit(reader)
    for words, (message, hint) in _ABSENT.items():
        if reader.at(*words) and not reader.at("UNION", "ALL"):
            raise reader.error(message, hint)
    return Select(span, items, source, joined, where, group_by, having, emit)


def _items(reader: Reader) -> tuple[Star | Item, ...]:
    found: list[Star | Item] = []
    while True:
        if len(found) == MAX_ITEMS:
            raise reader.error(f"A query has at most {MAX_ITEMS:,} columns.")
        found.append(_item(reader))
        if not reader.take(","):
            return tuple(found)


def _item(reader: Reader) -> Star | Item:
    start = reader.here
    if reader.take("*"):
        return _star(reader, start)
    expression = reader.until(_ends_item, "an expression")
    over = next((token for token in expression.tokens if is_word(token, "OVER")), None)
    if over is not None:
        raise SqlError("Window functions (OVER) aren't available.", _RANKED, (over.start, over.end + 1))
    if reader.take("AS"):
        return Item(expression, reader.name("a name"))
    return _with_bare_alias(expression)


def _with_bare_alias(written: Slice) -> Item:
    """``count(*) n``: a name behind an operand is the alias; the unit of an interval is none."""
    *before, last = written.tokens
    alias = name_of(last) if last.token_type in _NAMES else None
    is_unit = len(before) > 1 and is_word(before[-2], "INTERVAL")
    if alias is None or not before or before[-1].token_type not in _OPERANDS or is_unit:
        return Item(written)
    return Item(written.part(0, -1), Name(alias, (last.start, last.end + 1)))


def _star(reader: Reader, span: tuple[int, int]) -> Star:
    excepted: list[Name] = []
    replaced: list[Item] = []
    renamed: list[tuple[Name, Name]] = []
    if reader.take("EXCEPT") or reader.take("EXCLUDE"):
        excepted = reader.list_of(partial(reader.name, "a field"), "fields")
    if reader.take("REPLACE"):
        replaced = reader.list_of(lambda: _replacement(reader), "expressions with their names")
    if reader.take("RENAME"):
        renamed = reader.list_of(lambda: _renaming(reader), "old and new names")
    _require_different([*excepted, *(item.alias for item in replaced if item.alias is not None)])
    _require_different([*excepted, *(old for old, _ in renamed)])
    return Star(span, tuple(excepted), tuple(replaced), tuple(renamed))


def _require_different(names: Sequence[Name]) -> None:
    """A field is dropped, or replaced, or renamed once."""
    seen = set[str]()
    for name in names:
        if name.text in seen:
            raise SqlError(f"{name.text} is given twice.", "Remove one of them.", name.span)
        seen.add(name.text)


def _replacement(reader: Reader) -> Item:
    expression = reader.until(_ends_item, "an expression")
    reader.expect("AS")
    return Item(expression, reader.name("a field"))


def _renaming(reader: Reader) -> tuple[Name, Name]:
    old = reader.name("a field")
    reader.expect("AS")
    return old, reader.name("a name")


def _group_by(reader: Reader) -> tuple[Slice, ...] | None:
    if not reader.take("GROUP", "BY"):
        return None
    if any(reader.at(*words) for words in _SETS):
        message = "ALL, ROLLUP, CUBE and GROUPING SETS aren't available."
        raise reader.error(message, "List the fields; for several groupings use a query for each.")
    found = [reader.until(ends_entry, "a field")]
    while reader.take(","):
        found.append(reader.until(ends_entry, "a field"))
    return tuple(key for written in found for key in _keys(written))


def _keys(written: Slice) -> list[Slice]:
    """The keys of an entry of GROUP BY: several in ``(a, b)``."""
    tokens = written.tokens
    if tokens[0].token_type != TokenType.L_PAREN or closing(tokens, 0) != len(tokens) - 1 or len(tokens) < 3:
        return [written]
    reader = Reader(written.part(1, -1))
    found = [reader.until(_is_comma, "a field")]
    while reader.take(","):
        found.append(reader.until(_is_comma, "a field"))
    reader.finish()
    return found


def _is_comma(tokens: Sequence[Token]) -> bool:
    """The end of a key in parentheses, in which no clause begins: fields may have the names of clauses."""
    return tokens[0].token_type == TokenType.COMMA


def _emit(reader: Reader) -> Literal["update", "final"] | None:
    if reader.take("EMIT", "CHANGES"):
        return "update"
    return "final" if reader.take("EMIT", "FINAL") else None
