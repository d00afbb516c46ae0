"""Where an expression of a query ends: before the words that begin a clause."""

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.tokens import is_word

_CLAUSES: Final = (
    ("FROM",),
    ("WHERE",),
    ("GROUP", "BY"),
    ("HAVING",),
    ("EMIT", "CHANGES"),
    ("EMIT", "FINAL"),
    *(
        (word, after)
        for word in ("UNION", "EXCEPT", "INTERSECT", "MINUS")
        for after in ("ALL", "DISTINCT", "SELECT", "(")
    ),
    ("ORDER", "BY"),
    ("LIMIT",),
    ("FETCH", "FIRST"),
    ("FETCH", "NEXT"),
    ("QUALIFY",),
    ("WINDOW",),
    ("WITH", "("),
    *(
        (*kind, "JOIN")
        for kind in (
            (),
            ("INNER",),
            ("CROSS",),
            *((side,) for side in ("LEFT", "RIGHT", "FULL")),
            *((side, word) for side in ("LEFT", "RIGHT", "FULL") for word in ("OUTER", "SEMI", "ANTI")),
        )
    ),
)


_BY_FIRST: Final = {
    first: tuple(words for words in _CLAUSES if words[0] == first)
    for first in {words[0] for words in _CLAUSES}
}


def _begins_with(words: tuple[str, ...], tokens: Sequence[Token]) -> bool:
    return len(tokens) >= len(words) and all(map(is_word, tokens, words))


def ends_clause(tokens: Sequence[Token]) -> bool:
    """True before a word that begins a clause, and before a semicolon."""
    is_offset = len(tokens) > 1 and is_word(tokens[0], "OFFSET") and tokens[1].token_type == TokenType.NUMBER
    return is_offset or any(
        _begins_with(words, tokens) for words in _BY_FIRST.get(tokens[0].text.upper(), ())
    )


def ends_entry(tokens: Sequence[Token]) -> bool:
    """True at the end of an entry of a list: a comma, or the next clause."""
    return tokens[0].token_type == TokenType.COMMA or ends_clause(tokens)
