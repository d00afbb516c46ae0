"""Measures as text: one call, perhaps with ``where``:
``sum(x) where y > 0``, ``approx_distinct(x, error = 0.02)``.
"""

from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Schema
from jobs.base.types import BOOLEAN, Array, type_text
from jobs.expressions.check import Expression, check_tree
from jobs.expressions.parse import parse_tokens, span_of_token, tokens_of

RANKED: Final = frozenset({"top_rows", "bottom_rows"})
"""Measures whose call may say ``by`` before the expression that ranks rows:
``top_rows(3, by score, [name])``.
"""

PAIRED: Final = frozenset({"min_by", "max_by", "corr"})
"""Measures of two expressions, of which the second may be a comparison: ``min_by(name, ready = true)``."""

_OPENS: Final = (TokenType.L_PAREN, TokenType.L_BRACKET)
_CLOSES: Final = (TokenType.R_PAREN, TokenType.R_BRACKET)


@dataclass(frozen=True)
class MeasureCall:
    """A measure whose arguments are checked; what `name` means is for the measures' table to say.

    Attributes:
        name: lower case.
        arguments: by position; literals keep their value in `literal`, a list of literals as a tuple.
        options: values of named arguments, and, keyed by position as text, of literal arguments after the
            first.
        where: rows that take part; None for all.
        span: of the name in the text.
        by: what rows are ranked by; never among the arguments.
        listed: a list of expressions that are no literals; None when there is none.
    """

    name: str
    arguments: tuple[Expression, ...]
    options: dict[str, object]
    where: Expression | None
    span: tuple[int, int]
    by: Expression | None = None
    listed: tuple[Expression, ...] | None = None


def parse_measure(text: str, schema: Schema, path: DocumentPath) -> tuple[MeasureCall | None, list[Problem]]:
    """Check the form of a measure and its arguments (`docs/semantics/aggregate.md#measures`).

    Args:
        text: the measure as written.
        schema: fields it may read.
        path: where the text stands in the document.

    Returns:
        The call, or None with the problems that stop it.
    """
    tokens, problems = tokens_of(text, path)
    if problems:
        return None, problems
    call_tokens, where_tokens = _split_where(tokens)
    call_tokens, ranking = _without_by(call_tokens)
    call, problems = _call(call_tokens, text, path)
    if call is None:
        return None, problems
    by, listed, found = _take_ranking(call, ranking, text, schema, path)
    problems += found
    arguments, options, found = _arguments(call, text, schema, path)
    problems += found
    where, found = _where(where_tokens, text, schema, path)
    problems += found
    if has_errors(problems):
        return None, problems
    return MeasureCall(
        str(call.this).lower(), arguments, options, where, span_of_token(tokens[0]), by, listed
    ), problems


def _split_where(tokens: list[Token]) -> tuple[list[Token], list[Token] | None]:
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0 and token.token_type == TokenType.WHERE:
            return tokens[:index], tokens[index + 1 :]
    return tokens, None


def _without_by(tokens: list[Token]) -> tuple[list[Token], int | None]:
    """The tokens without the word ``by`` of a ranked measure,
    and the index of the argument before which it stood.
    """
    if not tokens or tokens[0].text.lower() not in RANKED:
        return tokens, None
    depth = index = 0
    for at, token in enumerate(tokens):
        depth += (token.token_type in _OPENS) - (token.token_type in _CLOSES)
        begins = at > 0 and tokens[at - 1].token_type in (TokenType.L_PAREN, TokenType.COMMA)
        if depth == 1 and token.token_type == TokenType.COMMA:
            index += 1
        elif depth == 1 and begins and token.text.lower() == "by":
            return [*tokens[:at], *tokens[at + 1 :]], index
    return tokens, None


def _take_ranking(
    call: exp.Anonymous, index: int | None, text: str, schema: Schema, path: DocumentPath
) -> tuple[Expression | None, tuple[Expression, ...] | None, list[Problem]]:
    """Takes the ranking expression and a list of fields out of the call's arguments."""
    given = list(call.expressions)
    by: Expression | None = None
    listed: tuple[Expression, ...] | None = None
    problems: list[Problem] = []
    if index is not None and index < len(given):
        by, problems = check_tree(given[index], text, schema, path)
    rest = [node for at, node in enumerate(given) if at != index]
    if str(call.this).lower() in RANKED:
        listed, rest, found = _take_list(rest, text, schema, path)
        problems = [*problems, *found]
    call.set("expressions", rest)
    return by, listed, problems


def _take_list(
    nodes: list[exp.Expr], text: str, schema: Schema, path: DocumentPath
) -> tuple[tuple[Expression, ...] | None, list[exp.Expr], list[Problem]]:
    """The items of the first list among these arguments, the other arguments, and problems of the items."""
    listed = next((node for node in nodes if _is_list(node)), None)
    if listed is None:
        return None, nodes, []
    items, problems = _check_all(listed.expressions, text, schema, path)
    return tuple(items), [node for node in nodes if node is not listed], problems


def _check_all(
    nodes: list[exp.Expr], text: str, schema: Schema, path: DocumentPath
) -> tuple[list[Expression], list[Problem]]:
    checked = [check_tree(node, text, schema, path) for node in nodes]
    problems = [found for _, many in checked for found in many]
    return [value for value, _ in checked if value is not None], problems


def _call(tokens: list[Token], text: str, path: DocumentPath) -> tuple[exp.Anonymous | None, list[Problem]]:
    hint = "Examples: sum(amount), count() where amount > 0"
    if not tokens:
        return None, [problem("EXPRESSION_INVALID", path, "A measure must be a function call.", hint)]
    parsed, problems = parse_tokens([_as_name(tokens[0]), *tokens[1:]], text, path)
    if parsed is None:
        return None, problems
    if not isinstance(parsed.tree, exp.Anonymous) or not isinstance(parsed.tree.this, str):
        return None, [
            problem(
                "EXPRESSION_INVALID",
                path,
                "Expected a single measure.",
                hint,
                span=(tokens[0].start, tokens[-1].end + 1),
            )
        ]
    return parsed.tree, []


def _as_name(token: Token) -> Token:
    """``distinct`` is a keyword of SQL and the name of a measure."""
    if token.token_type != TokenType.DISTINCT:
        return token
    return Token(TokenType.VAR, token.text, token.line, token.col, token.start, token.end)


def _where(
    tokens: list[Token] | None, text: str, schema: Schema, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    if tokens is None:
        return None, []
    if not tokens:
        return None, [problem("EXPRESSION_INVALID", path, "where needs a condition.")]
    parsed, problems = parse_tokens(tokens, text, path)
    if parsed is None:
        return None, problems
    start, end = tokens[0].start, tokens[-1].end + 1
    condition, problems = check_tree(parsed.tree, text[start:end], schema, path)
    if condition is not None and condition.type != BOOLEAN:
        message = f"where needs true/false, got {type_text(condition.type)}."
        return None, [problem("TYPE_MISMATCH", path, message, "Add a comparison.", span=(start, end))]
    return condition, problems


def _arguments(
    call: exp.Anonymous, text: str, schema: Schema, path: DocumentPath
) -> tuple[tuple[Expression, ...], dict[str, object], list[Problem]]:
    arguments: list[Expression] = []
    options: dict[str, object] = {}
    problems: list[Problem] = []
    given = call.expressions
    if len(given) == 1 and isinstance(given[0], exp.Star) and not any(given[0].args.values()):
        given = []
    measured = 2 if str(call.this).lower() in PAIRED else 1
    for index, node in enumerate(given):
        name, value_node = _named(node) if index >= measured else (None, node)
        read = _option if index >= measured else check_tree
        value, found = read(value_node, text, schema, path)
        problems += found
        if value is None:
            continue
        if name is not None:
            options[name] = value.literal
            continue
        arguments.append(value)
        if index and value.literal is not None:
            options[str(index)] = value.literal
    return tuple(arguments), options, problems


def _named(node: exp.Expr) -> tuple[str | None, exp.Expr]:
    """``error = 0.02`` after what is measured is an option."""
    if (
        isinstance(node, exp.EQ)
        and isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Literal | exp.Boolean)
    ):
        return str(node.this.name), node.expression
    return None, node


def _option(
    node: exp.Expr, text: str, schema: Schema, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    if not _is_list(node):
        return check_tree(node, text, schema, path)
    checked, problems = _check_all(node.expressions, text, schema, path)
    if problems:
        return None, problems
    if not checked or any(value.literal is None for value in checked):
        return None, [
            problem("TYPE_MISMATCH", path, "The list needs at least one literal, and only literals.")
        ]
    listed = "array(" + ", ".join(value.sql for value in checked) + ")"
    literal = tuple(value.literal for value in checked)
    canonical = "array(" + ", ".join(value.canonical for value in checked) + ")"
    return Expression(
        text, Array(checked[0].type, False), False, frozenset(), listed, (), True, literal, canonical
    ), []


def _is_list(node: exp.Expr) -> bool:
    if isinstance(node, exp.Array):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).lower() == "array"
