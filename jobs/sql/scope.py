"""The names that expressions of a query may use, and those that they have in the document's rows."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.names import SYSTEM_FIELDS
from jobs.expressions.calls import takes_unit
from jobs.expressions.spark_types import quoted
from jobs.operators.output_fields import nearest
from jobs.sql.draft import Expression
from jobs.sql.tokens import (
    CLOSING,
    OPENING,
    Slice,
    SqlError,
    is_literal,
    is_word,
    name_in_expression,
    name_of,
)
from jobs.sql.variables import Variables, variables_of


@dataclass(frozen=True)
class Side:
    """A relation of FROM.

    Attributes:
        alias: before the dot in ``alias.field``.
        fields: its own fields, in order; empty if unknown.
        names: field → its name in the rows of the query, where that is another.
        is_whole: it has no other fields than `fields`.
        has_system: system fields of the query's rows, such as ``_time``, are those of this relation.
    """

    alias: str
    fields: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    is_whole: bool = True
    has_system: bool = True

    def joined_name(self, name: str) -> str:
        """The name of a field in the rows of the query."""
        return self.names.get(name, name)


@dataclass(frozen=True)
class Field:
    """A field that an expression names.

    Attributes:
        first, end: its first token, and one past the last, in the slice.
        name: in the rows of the query.
        qualified: it has its relation's alias.
    """

    first: int
    end: int
    name: str
    qualified: bool


@dataclass(frozen=True)
class Scope:
    """The relations of a query's FROM.

    Attributes:
        reference: the node whose rows the expressions read.
        sides: the relations that were joined, first to last.
        fields: of the rows, in order; empty if unknown.
        ambiguous: fields that need an alias, because two relations have them.
        merged: fields of the rows that * leaves out: those of USING, on the right side.
    """

    reference: str
    sides: tuple[Side, ...]
    fields: tuple[str, ...]
    ambiguous: frozenset[str] = frozenset()
    merged: tuple[str, ...] = ()

    def side(self, alias: str) -> Side | None:
        """The relation of this alias."""
        return next((side for side in self.sides if side.alias == alias), None)

    def without_system(self) -> tuple[Side, ...]:
        """The relations, whose system fields the rows no longer have."""
        return tuple(replace(side, has_system=False) for side in self.sides)

    def field_name(self, written: Slice) -> str | None:
        """The name of a field, with or without its relation's alias; None for anything else, a member of a
        field that is called like the relation among it.
        """
        is_member = len(written.tokens) > 1 and written.part(0, 1).plain_name in self.known
        return None if is_member else self.column_name(written)

    def column_name(self, written: Slice) -> str | None:
        """The name that a column has without AS; None: it needs one."""
        if len(written.tokens) == 1:
            return None if is_literal(written.tokens[0]) else written.plain_name
        if len(written.tokens) != 3 or written.tokens[1].token_type != TokenType.DOT:
            return None
        alias = written.part(0, 1).plain_name
        return written.part(-1).plain_name if alias is not None and self.side(alias) is not None else None

    def expression(self, written: Slice) -> Expression:
        """An expression with the names of the document's rows: ``c.url`` becomes ``url``, or ``c_url`` where
        both sides have it.

        Raises:
            SqlError: a name that no relation has, or two have.
        """
        text, verbatim = self.text(written)
        return Expression(text, written.span, verbatim)

    def text(self, written: Slice) -> tuple[str, bool]:
        """The text of `expression`, and whether it is as written."""
        pieces: list[str] = []
        begin, end = written.span
        source, tokens = written.source, written.tokens
        for found in self.references(written):
            if not found.qualified:
                continue
            name = tokens[found.end - 1]
            is_own = found.name == name_of(name) and _is_name_alone(name)
            pieces += [source[begin : tokens[found.first].start], "" if is_own else quoted(found.name)]
            begin = name.start if is_own else name.end + 1
        return "".join([*pieces, source[begin:end]]), not pieces

    def references(self, written: Slice, also: Container[str] = ()) -> Iterator[Field]:
        """The fields that an expression names, first to last.

        Args:
            written: the expression.
            also: other names that it may have.

        Raises:
            SqlError: a name that no relation has, or two have.
        """
        tokens, variables = written.tokens, variables_of(written.tokens)
        at = 0
        while at < len(tokens):
            side = self._qualifies(tokens, at)
            if side is not None:
                name = self._name_of(side, tokens[at], tokens[at + 2])
                _require_no_variable(tokens[at : at + 3], name, at, variables)
                yield Field(at, at + 3, name, qualified=True)
                at += 3
                continue
            own = name_of(tokens[at])
            is_known = own in self.known or own in also
            if own is not None and is_known and not variables.hide(own, at) and _is_value(tokens, at):
                self.require_clear(own, (tokens[at].start, tokens[at].end + 1))
                yield Field(at, at + 1, own, qualified=False)
            at += 1

    def _qualifies(self, tokens: tuple[Token, ...], at: int) -> Side | None:
        """The relation, if the token is its alias before a field."""
        alias = name_of(tokens[at])
        if (
            alias is None
            or at + 2 >= len(tokens)
            or tokens[at + 1].token_type != TokenType.DOT
            or (at > 0 and tokens[at - 1].token_type == TokenType.DOT)
        ):
            return None
        side = self.side(alias)
        # A field of that name goes first: orders.total is a member of the field orders.
        return None if side is None or alias in self.known else side

    def _name_of(self, side: Side, alias: Token, name: Token) -> str:
        """The name of a side's field in the rows; with one relation, the check of the document judges it."""
        found = name_of(name) or ""
        span = alias.start, name.end + 1
        if found in SYSTEM_FIELDS and not side.has_system:
            message = f"After the join, rows have no {found} of {side.alias}."
            hint = "Read it before the join: CREATE VIEW … AS SELECT *, _time AS seen_at FROM …"
            raise SqlError(message, hint, span)
        if len(self.sides) > 1 and side.is_whole and side.fields and found not in SYSTEM_FIELDS:
            require_field(side, found, span)
        return side.joined_name(found)

    def require_clear(self, name: str, span: tuple[int, int]) -> None:
        """Refuse a name without alias that two relations have.

        Raises:
            SqlError: it is ambiguous.
        """
        if name in self.ambiguous:
            aliases = [side.alias for side in self.sides if name in side.fields]
            choices = " or ".join(f"{alias}.{name}" for alias in aliases if alias)
            told = " and of ".join(alias or "the query in parentheses" for alias in aliases)
            hint = f"Write {choices}." if choices else ""
            if not all(aliases):
                alias = f"Give the query in parentheses an alias, (SELECT …) AS q, for q.{name}."
                hint = f"{hint} {alias}".lstrip()
            raise SqlError(f"{name} is a field of {told}.", hint, span)

    @cached_property
    def known(self) -> frozenset[str]:
        """The fields of the rows."""
        return frozenset(self.fields)


def require_field(side: Side, name: str, span: tuple[int, int]) -> None:
    """Refuse a name that a relation does not have.

    Raises:
        SqlError: it has other fields only.
    """
    if side.is_whole and side.fields and name not in side.fields:
        raise SqlError(f"{side.alias} has no field {name}.", nearest(name, side.fields), span)


def _is_name_alone(token: Token) -> bool:
    """True for a name that stays one without the alias before it: ``t.true`` would be a value, and ``t.case``
    a word.
    """
    return token.token_type == TokenType.IDENTIFIER or name_in_expression(token.text) == token.text


def _require_no_variable(tokens: tuple[Token, ...], name: str, at: int, variables: Variables) -> None:
    """Refuse ``alias.field`` where a lambda has a variable of either name: without its alias, the field would
    be that variable.

    Args:
        tokens: of the field and its alias.
        name: of the field in the rows.
        at: where it stands.
        variables: of the expression.

    Raises:
        SqlError: one has.
    """
    alias, _, last = tokens
    if name_of(alias) in variables:
        message = f"{alias.text} is a relation and a variable of a lambda."
        raise SqlError(message, "Give the variable another name.", (alias.start, alias.end + 1))
    if variables.hide(name, at):
        message = f"{name} is a field and a variable of a lambda around it."
        raise SqlError(message, "Give the variable another name.", (alias.start, last.end + 1))


def _is_value(tokens: tuple[Token, ...], at: int) -> bool:
    """False for a name that is no field where it stands: of a member, function, type, unit, option, or before
    the text of a typed literal.
    """
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    if after is not None and after.token_type == TokenType.L_PAREN:
        return False
    if _begins_literal(tokens, at) or _is_unit_of_call(tokens, at):
        return False
    if before is None:
        return True
    is_unit = at > 1 and is_word(tokens[at - 2], "INTERVAL")
    is_part = at > 1 and is_word(tokens[at - 2], "EXTRACT")
    is_type = is_word(before, "AS") or before.token_type == TokenType.DCOLON
    return before.token_type != TokenType.DOT and not (is_unit or is_part or is_type)


def _is_unit_of_call(tokens: tuple[Token, ...], at: int) -> bool:
    """True for ``hour`` in ``date_diff(hour, a, b)``."""
    if at < 2 or tokens[at - 1].token_type != TokenType.L_PAREN:
        return False
    depth, count = 0, 1
    for token in tokens[at - 1 :]:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth == 0:
            break
        count += depth == 1 and token.token_type == TokenType.COMMA
    return takes_unit(tokens[at - 2].text, 0, count) and tokens[at + 1].token_type == TokenType.COMMA


def _begins_literal(tokens: tuple[Token, ...], at: int) -> bool:
    """True for the first word of ``timestamp '…'``, ``date '…'``, and ``interval 5 minute``."""
    if not any(is_word(tokens[at], word) for word in ("TIMESTAMP", "DATE", "INTERVAL")):
        return False
    following = tokens[at + 1 : at + 3]
    if not following:
        return False
    if following[0].token_type == TokenType.STRING:
        return True
    if following[0].token_type == TokenType.DASH:
        following = following[1:]
    is_number = bool(following) and following[0].token_type == TokenType.NUMBER
    return is_number and is_word(tokens[at], "INTERVAL")
