"""Measures in the expressions of a query: where they stand, and how a document writes them."""

from sqlglot.tokenizer_core import Token, TokenType

from jobs.operators.measures import MEASURES
from jobs.sql.clauses import ends_entry
from jobs.sql.draft import Expression
from jobs.sql.reader import Reader
from jobs.sql.scope import Scope
from jobs.sql.tokens import Slice, SqlError, closing, is_word, name_of


def measure_text(scope: Scope, written: Slice) -> Expression:
    """A measure as documents write it: ``count(*)`` as ``count()``, ``count(DISTINCT x)`` as ``distinct(x)``,
    FILTER (WHERE …) as where.
    """
    close = closing(written.tokens, 1)
    call, rest = written.part(0, close + 1), written.tokens[close + 1 :]
    name, arguments = call.tokens[0].text, call.tokens[2:-1]
    if len(arguments) == 1 and is_word(arguments[0], "*"):
        text, verbatim = f"{name}()", False
    elif len(arguments) > 1 and is_word(arguments[0], "DISTINCT"):
        text, verbatim = f"distinct({scope.text(_distinct(call))[0]})", False
    else:
        text, verbatim = scope.text(call)
    if not rest:
        return Expression(text, written.span, verbatim)
    if len(rest) < 5:
        span = rest[0].start, rest[-1].end + 1
        raise SqlError("FILTER has no condition.", "Write FILTER (WHERE amount > 10).", span)
    condition = scope.text(Slice(written.source, rest[3:-1]))[0]
    return Expression(f"{text} where {condition}", written.span, verbatim=False)


def _distinct(call: Slice) -> Slice:
    """What ``count(DISTINCT …)`` counts."""
    name, distinct = call.tokens[0], call.tokens[2]
    if name.text.lower() != "count":
        message = f"DISTINCT goes with count only, not with {name.text}."
        raise SqlError(message, "Use DEDUPLICATE(TABLE …) before.", (distinct.start, distinct.end + 1))
    reader = Reader(call.part(3, -1))
    counted = reader.until(ends_entry, "an expression")
    if not reader.done:
        message = "count(DISTINCT …) takes one expression."
        raise SqlError(message, "Count a combination: count(DISTINCT a || ' ' || b).", call.span)
    return counted


def measure_calls(written: Slice) -> list[tuple[int, int]]:
    """The measures in an expression: first token and one past the last, with FILTER (WHERE …)."""
    found: list[tuple[int, int]] = []
    at = 0
    tokens = written.tokens
    while at + 1 < len(tokens):
        if not _begins_measure(tokens, at):
            at += 1
            continue
        end = closing(tokens, at + 1) + 1
        rest = tokens[end : end + 3]
        if len(rest) == 3 and is_word(rest[0], "FILTER") and is_word(rest[2], "WHERE"):
            end = closing(tokens, end + 1) + 1
        found.append((at, end))
        at = end
    return found


def _begins_measure(tokens: tuple[Token, ...], at: int) -> bool:
    name = name_of(tokens[at])
    return (
        name is not None
        and tokens[at].token_type != TokenType.IDENTIFIER
        and name.lower() in MEASURES
        and tokens[at + 1].token_type == TokenType.L_PAREN
        and not (at and tokens[at - 1].token_type == TokenType.DOT)
    )
