"""Operators side by side that engines bind in different orders: they need parentheses."""

from typing import Final

from sqlglot import exp

from jobs.expressions.allowlist import BIT_NODES, EQUALITY_NODES, MATCH_NODES, ORDER_NODES
from jobs.expressions.errors import ExpressionError
from jobs.expressions.parse import span_of

_COMPARISONS: Final = (*ORDER_NODES, *EQUALITY_NODES, *MATCH_NODES)


def require_one_bit_operator(node: exp.Expr) -> None:
    """Refuse ``a & b | c``.

    Raises:
        ExpressionError: a bit operator has another for an operand.
    """
    parts = (node.this, node.expression)
    if any(type(part) in BIT_NODES and type(part) is not type(node) for part in parts):
        raise _combined("Different bit operators", node)


def require_one_kind_of_comparison(node: exp.Expr) -> None:
    """Refuse ``a = b < c``, which Spark reads from left to right, and sqlglot as other engines do.

    Raises:
        ExpressionError: an equation has an order, list, range or pattern for an operand, or the other way
            round.
    """
    own = ORDER_NODES if isinstance(node, ORDER_NODES) else EQUALITY_NODES
    for part in (node.this, node.expression):
        inner = part.this if isinstance(part, exp.Not) else part
        if isinstance(inner, _COMPARISONS) and not isinstance(part, own):
            raise _combined("Different comparisons", node)


def _combined(what: str, node: exp.Expr) -> ExpressionError:
    return ExpressionError(
        "EXPRESSION_INVALID",
        f"{what} are combined without parentheses.",
        "Add parentheses around one of them.",
        span_of(node),
    )
