"""SQL text cut into statements and tokens, by sqlglot's tokenizer with the expressions' own dialect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.problems import Problem, problem
from jobs.expressions.dialect import DIALECT
from jobs.expressions.spark_types import quoted
from jobs.expressions.unclosed import unclosed

PATH: Final = ("sql",)
"""Path of problems in SQL text; their spans are characters of the whole text."""
MAX_TEXT: Final = 200_000  # characters
MAX_TOKENS: Final = 50_000

_LITERALS: Final = (TokenType.STRING, TokenType.NUMBER, TokenType.IDENTIFIER)
LITERALS: Final = ("true", "false", "null")
"""Words that are values in expressions, and names only in backticks."""
OPENING: Final = (TokenType.L_PAREN, TokenType.L_BRACKET)
CLOSING: Final = (TokenType.R_PAREN, TokenType.R_BRACKET)
PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOLDED: Final = (
    "and as between case cast div else end false ilike in is like not null or rlike then true when"
)
_KEYWORDS: Final = frozenset(_FOLDED.split())
_WORD: Final = re.compile(r"\S+")
_SIGN: Final = re.compile(r"\S")


class SqlError(Exception):
    """A statement can't be read; `problem` says where and why."""

    def __init__(self, message: str, hint: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.problem: Problem = problem("SQL_INVALID", PATH, message, hint, span=span)


@dataclass(frozen=True, slots=True)
class Name:
    """A name and the characters of the text where it stands."""

    text: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive tokens of the whole `source`: an expression that nothing has parsed yet."""

    source: str
    tokens: tuple[Token, ...]

    @property
    def span(self) -> tuple[int, int]:
        """First and one-past-last character."""
        return self.tokens[0].start, self.tokens[-1].end + 1

    @property
    def text(self) -> str:
        """As written."""
        start, end = self.span
        return self.source[start:end]

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens, comparable: equal for texts that differ only in blanks and the case of keywords and
        functions. Names keep their case.
        """
        after = (*self.tokens[1:], None)
        return tuple(
            _comparable(token, following) for token, following in zip(self.tokens, after, strict=True)
        )

    @property
    def plain_name(self) -> str | None:
        """The name, if the slice is nothing else."""
        return name_of(self.tokens[0]) if len(self.tokens) == 1 else None

    @property
    def enclosed(self) -> "Slice":
        """What its outer parentheses enclose; all of it where it has none."""
        opened: list[int] = []
        closed_at: dict[int, int] = {}
        for at, token in enumerate(self.tokens if self.tokens[0].token_type == TokenType.L_PAREN else ()):
            if token.token_type == TokenType.L_PAREN:
                opened.append(at)
            elif token.token_type == TokenType.R_PAREN and opened:
                closed_at[opened.pop()] = at
        last = len(self.tokens) - 1
        outer = 0
        while 2 * (outer + 1) <= last and closed_at.get(outer) == last - outer:
            outer += 1
        return self.part(outer, last + 1 - outer)

    def part(self, start: int, end: int | None = None) -> "Slice":
        """Some of its tokens."""
        return Slice(self.source, self.tokens[start:end])


def _comparable(token: Token, following: Token | None) -> str:
    if token.token_type == TokenType.STRING:
        return f"'{token.text}'"
    if token.token_type == TokenType.IDENTIFIER:
        return name_in_expression(token.text)
    is_call = following is not None and following.token_type == TokenType.L_PAREN
    folds = is_call or token.text.lower() in _KEYWORDS
    return token.text.lower() if folds else token.text


def name_of(token: Token) -> str | None:
    """The name that a token is, quoted or plain; keywords may be names."""
    if token.token_type == TokenType.IDENTIFIER:
        return token.text
    if token.token_type in _LITERALS or PLAIN_NAME.fullmatch(token.text) is None:
        return None
    return token.text


def name_in_expression(name: str) -> str:
    """A name as an expression reads it: in backticks where it would be a keyword or a value."""
    tokens = DIALECT.tokenize(name) if PLAIN_NAME.fullmatch(name) else []
    return name if len(tokens) == 1 and tokens[0].token_type == TokenType.VAR else quoted(name)


def is_literal(token: Token) -> bool:
    """True for ``true``, ``false`` and ``null`` without backticks."""
    return any(is_word(token, word.upper()) for word in LITERALS)


def is_double_quoted(token: Token, source: str) -> bool:
    """True for ``"x"``: a text in Spark, a name in other engines."""
    return token.token_type == TokenType.STRING and source[token.start] == '"'


def is_word(token: Token, word: str) -> bool:
    """True if the token is this word (upper case) without quotes."""
    return token.token_type not in _LITERALS and token.text.upper() == word


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The index of the parenthesis that closes the one at an index; the last token if none does."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].token_type == TokenType.L_PAREN) - (tokens[at].token_type == TokenType.R_PAREN)
        if depth == 0:
            return at
    return len(tokens) - 1


def statements(text: str) -> list[Slice]:
    """The statements of a text, without the semicolons that end them.

    Raises:
        SqlError: it is too long, or a quote or comment is not closed.
    """
    if len(text) > MAX_TEXT:
        raise SqlError(
            f"The text has {len(text):,} characters; the limit is {MAX_TEXT:,}.", "", (0, len(text))
        )
    try:
        tokens = DIALECT.tokenize(text)
    except TokenError as error:
        if (place := unclosed(text)) is None:
            raise SqlError("The text can't be read.", "", (0, len(text))) from error
        hint = "Close it. Inside quotes, write \\' for a quote."
        raise SqlError("A quote or comment isn't closed.", hint, place) from error
    if len(tokens) > MAX_TOKENS:
        raise SqlError(
            f"The text has {len(tokens):,} tokens; the limit is {MAX_TOKENS:,}.", "", (0, len(text))
        )
    found: list[Slice] = []
    begin = 0
    source, tokens = _with_doubled_quotes(_without_comments(text, tokens), tokens)
    words = [word for token in tokens for word in _split_words(token, text)]
    for at, token in enumerate([*words, None]):
        if token is None or token.token_type == TokenType.SEMICOLON:
            if at > begin:
                found.append(Slice(source, tuple(words[begin:at])))
            begin = at + 1
    return found


def _without_comments(text: str, tokens: Sequence[Token]) -> str:
    """The text with blanks for its comments, so that expressions have none and positions stay."""
    pieces: list[str] = []
    at = 0
    for token in tokens:
        gap = text[at : token.start]
        pieces += [
            _SIGN.sub(" ", gap) if token.start > at else "",
            text[max(at, token.start) : token.end + 1],
        ]
        at = max(at, token.end + 1)
    return "".join([*pieces, _SIGN.sub(" ", text[at:])])


def _with_doubled_quotes(source: str, tokens: Sequence[Token]) -> tuple[str, list[Token]]:
    r"""``'it''s'`` as one text, in which expressions read ``\'``. Both have two signs: positions stay."""
    signs, found = list(source), list[Token]()
    for token in tokens:
        before = found[-1] if found else None
        if before is None or before.end + 1 != token.start or not _are_texts(source, before, token):
            found.append(token)
            continue
        signs[before.end] = "\\"
        text = f"{before.text}'{token.text}"
        found[-1] = Token(TokenType.STRING, text, before.line, before.col, before.start, token.end)
    return "".join(signs), found


def _are_texts(source: str, *tokens: Token) -> bool:
    return all(one.token_type == TokenType.STRING and source[one.start] == "'" for one in tokens)


def _split_words(token: Token, text: str) -> list[Token]:
    """A token of several words, such as GROUP BY, as one token for each."""
    written = text[token.start : token.end + 1]
    if token.token_type in _LITERALS or not re.search(r"\s", written):
        return [token]
    return [
        Token(
            TokenType.VAR,
            word.group(),
            token.line,
            token.col,
            token.start + word.start(),
            token.start + word.end() - 1,
        )
        for word in _WORD.finditer(written)
    ]
