"""A cursor over the tokens of a statement: words, names, lists, and the extent of expressions.

Clauses are read one by one, so that what the grammar does not name is refused with its place; expressions are
only cut out, and the check of the document parses them.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from sqlglot.tokenizer_core import Token, TokenType

from jobs.expressions.string_escapes import unknown_escape
from jobs.sql.tokens import CLOSING, OPENING, Name, Slice, SqlError, is_double_quoted, is_word, name_of

MAX_DEPTH: Final = 20
"""Queries, table functions or values in each other."""
LOOKAHEAD: Final = 4
"""Tokens that decide whether an expression ends before them."""

Entry = TypeVar("Entry")


class Reader:
    """Reads a slice from its beginning."""

    def __init__(self, written: Slice) -> None:
        self.source = written.source
        self._tokens = written.tokens
        self._at = 0
        self._end = written.tokens[-1].end + 1 if written.tokens else 0

    @property
    def done(self) -> bool:
        """True after the last token."""
        return self._at >= len(self._tokens)

    @property
    def here(self) -> tuple[int, int]:
        """Span of the next token, or of the end."""
        if self.done:
            return max(0, self._end - 1), self._end
        return self._tokens[self._at].start, self._tokens[self._at].end + 1

    def peek(self, ahead: int = 0) -> Token | None:
        """A token that was not read yet."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def at(self, *words: str) -> bool:
        """True if these words come next."""
        found = self._tokens[self._at : self._at + len(words)]
        return len(found) == len(words) and all(map(is_word, found, words))

    def take(self, *words: str) -> bool:
        """Read these words if they come next."""
        if not self.at(*words):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str, hint: str = "") -> None:
        """Read these words.

        Raises:
            SqlError: something else comes next.
        """
        if not self.take(*words):
            raise self.error(f"Expected {' '.join(words)}{self._found()}.", hint)

    def name(self, what: str) -> Name:
        """Read a name; keywords may be names.

        Args:
            what: the name is expected to be, for the message.

        Raises:
            SqlError: no name comes next.
        """
        token = self.peek()
        found = name_of(token) if token is not None else None
        if token is None or found is None:
            raise self.error(f"Expected {what}{self._found()}.")
        self._at += 1
        return Name(found, (token.start, token.end + 1))

    def text(self, what: str) -> str:
        """Read a text in quotes, in which '' and \\' are a quote.

        Raises:
            SqlError: none comes next, or it has an escape that stands for nothing.
        """
        token = self.peek()
        if token is None or token.token_type != TokenType.STRING:
            raise self.error(f"Expected {what} in quotes{self._found()}.")
        if (unknown := unknown_escape(self.source[token.start : token.end + 1])) is not None:
            begin, end = token.start + unknown[0], token.start + unknown[1]
            escape = self.source[begin:end]
            raise self.error(
                f"{escape} isn't an escape.", f"For a backslash, write \\{escape}.", (begin, end)
            )
        self._at += 1
        return str(token.text)

    def number_text(self, token: Token) -> str:
        """Read a number, which is the next token."""
        self._at += 1
        return str(token.text)

    @property
    def read_to(self) -> int:
        """One past the last character that was read."""
        return self._tokens[self._at - 1].end + 1 if self._at else 0

    def until(self, ends: Callable[[Sequence[Token]], bool], what: str) -> Slice:
        """Read an expression: up to a token outside all brackets for which `ends` holds, or to the end.

        Args:
            ends: gets the tokens from a position on; True ends the expression before them.
            what: is expected, for the message.

        Raises:
            SqlError: nothing is there, or a query, or text in double quotes.
        """
        begin, depth = self._at, 0
        while not self.done:
            token = self._tokens[self._at]
            if depth == 0 and (
                token.token_type in CLOSING
                or (not self._is_distinct_from() and ends(self._tokens[self._at : self._at + LOOKAHEAD]))
            ):
                break
            self._require_single_quotes(token)
            self._require_no_query(token)
            depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
            self._at += 1
        if begin == self._at:
            raise self.error(f"Expected {what}{self._found()}.", self._quoting())
        if self._tokens[self._at - 1].token_type == TokenType.DOT and not self.done:
            raise self.error(f"Expected a name behind the dot{self._found()}.", self._quoting())
        return Slice(self.source, self._tokens[begin : self._at])

    def _require_single_quotes(self, token: Token) -> None:
        """Refuse ``"symbol"``, which would be a text here and is a column for others."""
        if is_double_quoted(token, self.source):
            raise SqlError(
                "Double quotes mean a column in some SQL dialects and text in others.",
                "Use '…' for text, and backticks for names.",
                (token.start, token.end + 1),
            )

    def _require_no_query(self, token: Token) -> None:
        before = self._tokens[self._at - 1] if self._at else token
        if is_word(token, "SELECT") and before.token_type == TokenType.L_PAREN:
            raise SqlError(
                "Queries inside expressions aren't available.",
                "Use LEFT SEMI JOIN for IN and EXISTS, LEFT ANTI JOIN for NOT IN and NOT EXISTS.",
                (token.start, token.end + 1),
            )

    def _is_distinct_from(self) -> bool:
        """True for FROM of ``is distinct from``."""
        return self._at > 0 and is_word(self._tokens[self._at - 1], "DISTINCT")

    def list_of(self, read: Callable[[], Entry], what: str) -> list[Entry]:
        """Read ``(a, b, …)``; `read` reads one entry."""
        self.expect("(", hint=f"Write {what} in parentheses.")
        entries = [read()]
        while not self.take(")"):
            self.expect(",")
            entries.append(read())
        return entries

    def named_list(self, read: Callable[[], tuple[Name, Entry]], what: str) -> dict[str, Entry]:
        """As `list_of`, of entries with names.

        Raises:
            SqlError: two entries have one name.
        """
        found: dict[str, Entry] = {}

        def entry() -> None:
            name, value = read()
            if name.text in found:
                raise self.error(f"{name.text} is given twice.", "Remove one of them.", name.span)
            found[name.text] = value

        self.list_of(entry, what)
        return found

    def finish(self, hint: str = "") -> None:
        """Require that everything was read.

        Raises:
            SqlError: something is left.
        """
        if not self.done:
            raise self.error(f"Unexpected {self._shown()}.", hint)

    def error(self, message: str, hint: str = "", span: tuple[int, int] | None = None) -> SqlError:
        """A problem at the next token, or at a span."""
        return SqlError(message, hint, span or self.here)

    def _quoting(self) -> str:
        """The hint for a keyword where a field may be meant."""
        token = self.peek()
        is_name = token is not None and name_of(token) is not None
        return "If a field has this name, put it in backticks." if is_name else ""

    def _found(self) -> str:
        return ", but the statement ends" if self.done else f", got {self._shown()}"

    def _shown(self) -> str:
        start, end = self.here
        return self.source[start:end][:40]
