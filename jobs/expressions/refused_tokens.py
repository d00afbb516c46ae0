"""Tokens that an expression must not have, or not where they stand: sqlglot would read over them, or take
them for what expressions don't have.
"""

from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

MAX_PARENTHESES: Final = 24  # sqlglot needs some twenty frames for each; Python's default limit is a thousand
IN_BACKTICKS: Final = "If a field has this name, put it in backticks."
_REFUSED: Final = {
    TokenType.SEMICOLON: "only one expression is supported, no statements",
    TokenType.DARROW: "JSON arrows aren't supported",
    TokenType.FARROW: "named arguments aren't supported",
    TokenType.PARAMETER: "parameters and variables aren't supported",
    TokenType.PLACEHOLDER: "placeholders aren't supported",
    TokenType.COLON: "use a dot for struct members, e.g. address.city",
    TokenType.L_BRACE: "braces aren't supported",
    TokenType.HASH: "# isn't supported",
    TokenType.DOLLAR: "parameters and variables aren't supported",
    TokenType.HINT: "hints aren't supported",
    TokenType.HEX_STRING: "hexadecimal literals aren't supported",
    TokenType.RAW_STRING: "raw strings aren't supported; use plain quotes",
    TokenType.NATIONAL_STRING: "use plain quotes for strings",
    TokenType.SELECT: "subqueries aren't supported",
    TokenType.FROM: "subqueries and FROM aren't supported",
    TokenType.OVER: "window functions aren't supported; use an aggregate step",
}
_OPENING: Final = (TokenType.L_PAREN, TokenType.L_BRACKET)
_CLOSING: Final = (TokenType.R_PAREN, TokenType.R_BRACKET)
# sqlglot reads over an argument that is not there
_EMPTY: Final = frozenset(
    (before, after)
    for before in (TokenType.COMMA, TokenType.PLUS, *_OPENING)
    for after in (TokenType.COMMA, *_CLOSING)
    if before not in _OPENING or after == TokenType.COMMA
)
_SUFFIXES: Final = ("L", "D", "BD")
_SUFFIX_HINT: Final = "Suffixes are L (long), D (double), BD (decimal). For a time span, use duration('5s')."
_DIGITS: Final = "0123456789"
_BEFORE_ARROW: Final = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN)


def first_refused(tokens: list[Token]) -> tuple[Token, str, str] | None:
    """The first token that may not stand where it stands, with what is wrong, and a hint ("" for none).

    Args:
        tokens: of an expression, at least one.
    """
    depth = 0  # of parentheses
    for index, (before, token) in enumerate(pairwise([tokens[0], *tokens])):
        if _is_part_of_call(tokens, index):
            continue
        refusal = _refusal(before, token, is_first=token is tokens[0], depth=depth)
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if refusal is None and depth > MAX_PARENTHESES:
            message = f"Parentheses are nested deeper than {MAX_PARENTHESES} levels."
            refusal = message, "Split it into several derive steps."
        if refusal is not None:
            return token, *refusal
    return None


def _is_part_of_call(tokens: list[Token], index: int) -> bool:
    """True for FROM after DISTINCT, and in ``extract(part from time)``."""
    return tokens[index].token_type == TokenType.FROM and (
        tokens[max(index - 1, 0)].token_type == TokenType.DISTINCT or _extracts(tokens[:index])
    )


def _refusal(before: Token, token: Token, *, is_first: bool, depth: int) -> tuple[str, str] | None:
    """Why a token may not follow the one before it, and a hint; None: it may."""
    if token.token_type == TokenType.ALL and not is_first:
        return "ALL isn't supported in expressions.", IN_BACKTICKS
    if (suffix := _unknown_suffix(before, token)) is not None:
        return f"{suffix} isn't a suffix of a number.", _SUFFIX_HINT
    if before.token_type == token.token_type == TokenType.STRING and not is_first:
        hint = "For a quote in a string, write \\'. To concatenate, use ||."
        return "Two strings stand side by side.", hint
    if before.token_type == TokenType.R_PAREN and token.token_type == TokenType.STRING:
        return "A string can't follow a parenthesis.", "For a value of another type, use cast('5' as int)."
    if token.token_type == TokenType.ESCAPE:
        return "ESCAPE isn't supported.", "A backslash escapes % and _: like '10\\%'."
    if (before.token_type, token.token_type) in _EMPTY:
        return "A value is missing here.", ""
    if token.token_type == TokenType.ARROW and not _may_precede_arrow(before, depth):
        what = (
            f"{token.text!r} isn't allowed here: it follows the variables of a lambda, as in "
            "transform(list, x -> x + 1)."
        )
        return what, ""
    if why := _REFUSED.get(token.token_type):
        return f"{token.text or token.token_type.value!r} isn't allowed here: {why}.", ""
    if not token.text.isascii() and token.token_type == TokenType.VAR:
        hint = "Field names use letters a-z, digits and _."
        return f"{token.text!r} has letters other than a-z.", hint
    return None


def _unknown_suffix(before: Token, token: Token) -> str | None:
    """What stands behind a number without a blank; None: nothing, or a suffix of the language."""
    if before.token_type == TokenType.DCOLON and before.start == token.start:
        return None if token.text.upper() in _SUFFIXES else token.text
    is_name = token.token_type == TokenType.VAR and before.token_type != TokenType.DOT
    return token.text.lstrip(f"{_DIGITS}.") if is_name and token.text[0] in _DIGITS else None


def _may_precede_arrow(before: Token, depth: int) -> bool:
    return depth > 0 and before.token_type in _BEFORE_ARROW


def _extracts(before: list[Token]) -> bool:
    """True after ``extract(part``."""
    return (
        len(before) >= 3
        and before[-3].text.lower() == "extract"
        and before[-2].token_type == TokenType.L_PAREN
    )
