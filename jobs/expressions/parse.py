"""Text to sqlglot's tree: size limits, refused signs, syntax errors as located problems."""

import re
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, TokenError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.expressions.dialect import DIALECT
from jobs.expressions.refused_tokens import IN_BACKTICKS, first_refused
from jobs.expressions.string_escapes import has_lone_surrogate, unknown_escape
from jobs.expressions.unclosed import unclosed

MAX_TEXT: Final = 8_192  # characters
MAX_TOKENS: Final = 1_500

_BEFORE_TYPE: Final = (TokenType.ALIAS, TokenType.DCOLON)
_SUSPECT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# what sqlglot's parser raises beside ParseError when a text is odd enough
_PARSER_FAULTS: Final = (SqlglotError, ValueError, TypeError, AttributeError, LookupError)
# sqlglot's words for what it wants: a sign or a keyword
_EXPECTED: Final = re.compile(r"Expect(?:ing|ed) ([^a-z]+?)(?: after .*)?$")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree, its text and its tokens."""

    text: str
    tree: exp.Expr


def tokens_of(text: str, path: DocumentPath) -> tuple[list[Token], list[Problem]]:
    """The tokens of a text, or the problems that keep it from being read at all.

    Args:
        text: the expression as written.
        path: where it stands in the document.
    """
    if len(text) > MAX_TEXT:
        return [], [
            _invalid(
                path,
                f"The expression has {len(text)} characters; the limit is {MAX_TEXT}.",
                "Split it into several derive steps.",
            )
        ]
    if not text.strip():
        return [], [
            _invalid(path, "The expression is empty.", "Enter a field, a literal or a function call.")
        ]
    if found := _SUSPECT.search(text):
        sign = f"U+{ord(found.group()):04X}"
        return [], [
            _invalid(
                path, f"The expression contains the invisible character {sign}.", "Delete it.", found.span()
            )
        ]
    try:
        tokens = DIALECT.tokenize(text)
    except TokenError:
        if (place := unclosed(text)) is None:
            return [], [_invalid(path, "Invalid expression.")]
        return [], [
            _invalid(
                path,
                "A quote or comment isn't closed.",
                "Close it. Inside quotes, write \\' for a quote.",
                place,
            )
        ]
    if not tokens or any(token.comments for token in tokens):
        return [], [
            _invalid(
                path,
                "Comments aren't supported.",
                "-- starts a comment. For two minus signs, add a space or parentheses between them.",
            )
        ]
    if len(tokens) > MAX_TOKENS:
        return [], [_invalid(path, f"The expression has {len(tokens)} tokens; the limit is {MAX_TOKENS}.")]
    broken = (_escape_problem(token, text, path) for token in tokens)
    if (escape := next(filter(None, broken), None)) is not None:
        return [], [escape]
    if (refused := first_refused(tokens)) is not None:
        token, message, hint = refused
        return _with_names(tokens), [_invalid(path, message, hint, span_of_token(token))]
    return _with_names(tokens), []


def _escape_problem(token: Token, text: str, path: DocumentPath) -> Problem | None:
    """What is wrong with the escapes of a string; None: nothing, or the token is none."""
    if token.token_type != TokenType.STRING:
        return None
    written = text[token.start : token.end + 1]
    if has_lone_surrogate(written):
        message = "The string contains half of a character: \\u with a surrogate."
        return _invalid(path, message, "Write the character itself.", span_of_token(token))
    if (unknown := unknown_escape(written)) is None:
        return None
    escape = written[slice(*unknown)]
    span = token.start + unknown[0], token.start + unknown[1]
    return _invalid(path, f"{escape} isn't an escape.", f"For a backslash, write \\{escape}.", span)


def _with_names(tokens: list[Token]) -> list[Token]:
    """The tokens, of which ``list``, ``map`` and the like are names where a ``<`` behind them compares:
    types stand after AS or ``::``.
    """
    found = list(tokens)
    depth = 0  # of the angle brackets of a type
    for index, (before, token, after) in enumerate(
        zip([None, *tokens], tokens, [*tokens[1:], None], strict=False)
    ):
        opens = _may_open_type(token, after)
        if depth and token.token_type == TokenType.GT:
            depth -= 1
        elif opens and (depth or (before is not None and before.token_type in _BEFORE_TYPE)):
            depth += 1
        elif opens:
            found[index] = Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end)
    return found


def _may_open_type(token: Token, after: Token | None) -> bool:
    """True for ``list <`` and the like."""
    return (
        after is not None
        and after.token_type == TokenType.LT
        and token.token_type in Parser.NESTED_TYPE_TOKENS
    )


def parse_tokens(tokens: list[Token], text: str, path: DocumentPath) -> tuple[Parsed | None, list[Problem]]:
    """The syntax tree of these tokens of a text.

    Args:
        tokens: all tokens of the text, or a part of them.
        text: the whole text; spans in problems refer to it.
        path: where it stands in the document.
    """
    try:
        trees = DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)
    except ParseError as error:
        return None, [_syntax_problem(error, tokens, path)]
    except _PARSER_FAULTS:
        return None, [_invalid(path, "Invalid expression.")]
    except RecursionError:
        return None, [
            _invalid(path, "The expression is nested too deeply.", "Split it into several derive steps.")
        ]
    if len(trees) != 1 or trees[0] is None:
        return None, [_invalid(path, "Expected exactly one expression.")]
    return Parsed(text, trees[0]), []


def _syntax_problem(error: ParseError, tokens: list[Token], path: DocumentPath) -> Problem:
    first = error.errors[0] if error.errors else {}
    located = next((t for t in tokens if (t.line, t.col) == (first.get("line"), first.get("col"))), None)
    near = str(first.get("highlight") or (located.text if located else ""))
    return _invalid(
        path,
        _syntax_message(str(first.get("description") or ""), near),
        IN_BACKTICKS if located and _may_be_a_name(located, tokens) else "",
        span=span_of_token(located) if located else None,
    )


def _may_be_a_name(located: Token, tokens: list[Token]) -> bool:
    """Whether a word of SQL stands where the parser stopped, is what it began with, or an unclosed CASE."""
    suspects = [located, tokens[0]] if located in tokens[:2] else [located]
    cases = [token for token in tokens if token.token_type == TokenType.CASE]
    if len(cases) > sum(token.token_type == TokenType.END for token in tokens):
        suspects += cases
    return any(
        token.text.isidentifier() and token.token_type not in (TokenType.VAR, TokenType.IDENTIFIER)
        for token in suspects
    )


def _syntax_message(description: str, near: str) -> str:
    where = f" near {near!r}" if near else ""
    if description.startswith("Required"):
        return f"A value is missing{where}."
    if expected := _EXPECTED.match(description):
        return f"Expected {expected[1]}{where}."
    return f"Unexpected {near!r}." if near else "Invalid expression."


def span_of_token(token: Token) -> tuple[int, int]:
    """First and one-past-last character of a token."""
    return token.start, token.end + 1


def span_of(node: exp.Expr) -> tuple[int, int] | None:
    """The part of the text that a node's located descendants cover; None when none of them is located."""
    metas = [found.meta for found in node.walk() if "start" in found.meta]
    if not metas:
        return None
    return min(p["start"] for p in metas), max(p["end"] for p in metas) + 1


def _invalid(
    path: DocumentPath, message: str, hint: str = "", span: tuple[int, int] | None = None
) -> Problem:
    return problem("EXPRESSION_INVALID", path, message, hint, span=span)
