"""Conditions of a join that are neither keys nor bounds of the time, as ON has them."""

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.join_conditions import COMPARED, conjuncts
from jobs.sql.tokens import Slice, is_literal, is_word, name_of

_SIGNS: Final = {
    TokenType.L_PAREN: "(",
    TokenType.R_PAREN: ")",
    TokenType.DOT: ".",
    TokenType.PLUS: "+",
    TokenType.DASH: "+",
    TokenType.STRING: "v",
    TokenType.NUMBER: "v",
}
_MOMENT: Final = r"\(*[ni](\.n)?(?:\)|\+i\+?vn?)*"
_TAKEN: Final = re.compile(rf"{_MOMENT}(?:={_MOMENT}|b{_MOMENT}a{_MOMENT})")
"""A condition, a letter a token, that may be a key or a bound of the time."""


def as_rest(written: Slice) -> str:
    """A condition as ON has it when no part of it is a key or a bound of the time: the first field of what
    could be one stands in parentheses.
    """
    pieces = list[str]()
    at = written.span[0]
    for one in conjuncts(written):
        signs = "".join(_sign(one.tokens, index) for index in range(len(one.tokens)))
        if not _TAKEN.fullmatch(signs):
            continue
        first = len(signs) - len(signs.lstrip("("))
        last = first + 2 if signs[first + 1] == "." else first
        if first and signs[last + 1 : last + 2] == ")":
            continue  # it stands in parentheses already
        begin, end = one.tokens[first].start, one.tokens[last].end + 1
        pieces += [written.source[at:begin], f"({written.source[begin:end]})"]
        at = end
    return "".join([*pieces, written.source[at : written.span[1]]])


def _sign(tokens: tuple[Token, ...], at: int) -> str:
    """The letter of a token in `_TAKEN`."""
    token = tokens[at]
    if token.token_type in _SIGNS:
        return _SIGNS[token.token_type]
    if at and tokens[at - 1].token_type == TokenType.DOT:
        return "n"
    for word in ("INTERVAL", "BETWEEN", "AND"):
        if is_word(token, word):
            return word[0].lower()
    if token.text in ("=", "==", *COMPARED) and token.token_type != TokenType.IDENTIFIER:
        return "="
    return "n" if name_of(token) is not None and not is_literal(token) else "x"
