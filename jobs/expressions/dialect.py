"""The part of sqlglot's Spark dialect that we let in.

Every table that turns calls into typed nodes is emptied, so each call ``name(a, b)`` reaches the binder as
one plain node with its name as written. The binder alone decides what a name means; sqlglot's rewriting of
calls (``nvl`` to ``coalesce``, argument order, units) never takes part.
"""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import TokenType

_CALL_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT")
_LENGTH_TYPES = (TokenType.CHAR, TokenType.NCHAR, TokenType.VARCHAR, TokenType.NVARCHAR, TokenType.BPCHAR)
_WORD_SYNTAX = ("CASE",)
# Words of statements, such as LOAD and COMMENT: expressions have none, and fields are called so.
_STATEMENTS = {*SparkParser.STATEMENT_PARSERS, *Spark.Tokenizer.COMMANDS, TokenType.VALUES} - {
    TokenType.SEMICOLON
}
_NO_KEYWORDS = {*_LENGTH_TYPES, *_STATEMENTS}
_AMOUNTS = (TokenType.STRING, TokenType.NUMBER, TokenType.VAR, TokenType.IDENTIFIER)


class Weir(Spark):
    """Spark's tokens and operators, without its functions."""

    class Tokenizer(Spark.Tokenizer):
        """Adds our own type name ``bytes``; drops types of texts with a length, which the parser would lose,
        and the words of statements.
        """

        KEYWORDS: ClassVar[dict[str, Any]] = {
            **{word: token for word, token in Spark.Tokenizer.KEYWORDS.items() if token not in _NO_KEYWORDS},
            "BYTES": TokenType.BINARY,
        }

    class Parser(SparkParser):
        """Calls stay calls; ``cast`` and ``try_cast`` stay apart."""

        STRICT_CAST = True
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
        ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}  # a field called array or list has items: array[0]
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            k: v for k, v in SparkParser.FUNCTION_PARSERS.items() if k in _CALL_SYNTAX
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            k: v for k, v in SparkParser.NO_PAREN_FUNCTION_PARSERS.items() if k in _WORD_SYNTAX
        }

        def _parse_interval(self, *_: bool, **__: bool) -> exp.Interval | None:
            """One amount with one unit at most: sqlglot searches a text for what it knows of an interval,
            reads over the rest, and adds the next amount.
            """
            index = self._index
            is_interval = self._match(TokenType.INTERVAL)
            sign = "-" if is_interval and self._match(TokenType.DASH) else ""
            amounts = (TokenType.NUMBER,) if sign else _AMOUNTS
            if not is_interval or not self._match_set(amounts, advance=False):
                self._retreat(index)
                return None
            amount, unit = self._parse_field(), self._parse_unit()
            if sign and unit is None:  # a field called interval, less a number
                self._retreat(index)
                return None
            if sign and isinstance(amount, exp.Literal):
                amount.set("this", f"-{amount.this}")
            return self.expression(exp.Interval(this=amount, unit=unit))

        def _parse_type(
            self, parse_interval: bool = True, fallback_to_identifier: bool = False
        ) -> exp.Expr | None:
            """A value, of which ``timestamp '…'`` is one before anything behind it: sqlglot casts its text
            alone, and tries a type wherever a value may stand, which doubles the time for each bracket.
            """
            if fallback_to_identifier:
                return super()._parse_type(parse_interval, fallback_to_identifier)
            if (atom := self._parse_atom()) is not None:
                return atom
            if (interval := self._parse_interval()) is not None:
                return self._parse_column_ops(interval)
            index = self._index
            is_before_text = self._next is not None and self._next.token_type == TokenType.STRING
            to = self._parse_types(allow_identifiers=False) if is_before_text else None
            if isinstance(to, exp.DataType) and self._match(TokenType.STRING, advance=False):
                typed = self.expression(exp.Cast(this=self._parse_primary(), to=to))
                return self._parse_column_ops(typed)
            self._retreat(index)
            return self._parse_column()

        def _build_predicate(
            self,
            klass: type[exp.Binary],
            this: exp.Expr | None,
            expression: exp.Expr | None,
            comments: list[str] | None = None,
            negate: bool = False,
        ) -> exp.Expr:
            """The operands as they are: around some, sqlglot puts parentheses that nobody wrote."""
            predicate = klass(this=this, expression=expression)
            if negate:
                predicate.set("negate", True)
            return self.expression(predicate, comments=comments)

        def _parse_unit(self) -> exp.Expr | None:
            word = self._curr.text.upper() if self._curr else ""
            is_unit = word in self.dialect.VALID_INTERVAL_UNITS or self._match(TokenType.VAR, advance=False)
            return self._parse_var(any_token=True, upper=True) if is_unit else None


DIALECT = Weir()
