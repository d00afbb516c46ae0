"""The names that expressions of a query may use, and those that they have in the document's rows."""

from dataclasses import dataclass, field
from functools import cached_property

from sqlglot.tokenizer_core import Token, TokenType

from jobs.expressions.spark_types import quoted
from jobs.sql.draft import Expression
from jobs.sql.tokens import Slice, name_of


@dataclass(frozen=True)
class Side:
    """A relation of FROM.

    Attributes:
        alias: before the dot in ``alias.field``.
        fields: its own fields, in order; empty if unknown.
        names: field → its name in the rows of the query, where that is another.
    """

    alias: str
    fields: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """The relations of a query's FROM.

    Attributes:
        reference: the node whose rows the expressions read.
        sides: the relations that were joined, first to last.
        fields: of the rows, in order; empty if unknown.
    """

    reference: str
    sides: tuple[Side, ...]
    fields: tuple[str, ...]

    def side(self, alias: str) -> Side | None:
        """The relation of this alias."""
        return next((side for side in self.sides if side.alias == alias), None)

    def field_name(self, written: Slice) -> str | None:
        """The name of a field, with or without its relation's alias; None for anything else."""
        if len(written.tokens) == 1:
            return written.plain_name
        alias = written.part(0, 1).plain_name
        is_qualified = len(written.tokens) == 3 and alias is not None and self.side(alias) is not None
        return written.part(-1).plain_name if is_qualified else None

    def expression(self, written: Slice) -> Expression:
        """An expression with the names of the document's rows: ``c.url`` becomes ``url``, or ``c_url`` where
        both sides have it.
        """
        text, verbatim = self.text(written)
        return Expression(text, written.span, verbatim)

    def text(self, written: Slice) -> tuple[str, bool]:
        """The text of `expression`, and whether it is as written."""
        pieces: list[str] = []
        begin, end = written.span
        source, tokens = written.source, written.tokens
        at = 0
        while at + 2 < len(tokens):
            side = self._qualifies(tokens, at)
            if side is None:
                at += 1
                continue
            name = name_of(tokens[at + 2]) or ""
            pieces.append(source[begin : tokens[at].start])
            pieces.append(quoted(side.names[name]) if name in side.names else "")
            begin = tokens[at + 2].end + 1 if name in side.names else tokens[at + 2].start
            at += 3
        return "".join([*pieces, source[begin:end]]), not pieces

    def _qualifies(self, tokens: tuple[Token, ...], at: int) -> Side | None:
        """The relation, if the token is its alias before a field."""
        alias = name_of(tokens[at])
        if (
            alias is None
            or tokens[at + 1].token_type != TokenType.DOT
            or (at > 0 and tokens[at - 1].token_type == TokenType.DOT)
        ):
            return None
        side = self.side(alias)
        # A field of that name goes first: orders.total is a member of the field orders.
        return None if side is None or alias in self.known else side

    @cached_property
    def known(self) -> frozenset[str]:
        """The fields of the rows."""
        return frozenset(self.fields)
