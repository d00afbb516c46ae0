"""How much larger than what it reads an expression's value can become.

``repeat(repeat(text, 100), 100)`` and a lambda over a ``sequence`` multiply, so a bound on each call alone
would not hold an engine's memory. What adds (``a || a``) is bounded by the length of the text.
"""

from typing import Final

from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.nodes import Call, Lambda, Literal, Tree, children

MAX_SIZE_FACTOR: Final = 100_000
_BY_LITERAL: Final = {"repeat": 1, "array_repeat": 1}
"""Calls that multiply their first argument by a literal, and its index."""


def check_size_bound(tree: Tree) -> None:
    """Nothing, when no part of the tree multiplies beyond the bound.

    Raises:
        ExpressionError: one does.
    """
    if (factor := _factor(tree)) > MAX_SIZE_FACTOR:
        message = (
            f"The result can be {factor:,} times as large as the input; the limit is {MAX_SIZE_FACTOR:,} "
            "times."
        )
        raise ExpressionError(
            "EXPRESSION_INVALID", message, "Repeat less, or avoid sequences inside lambdas."
        )


def _factor(tree: Tree) -> int:
    inside = max((_factor(part) for part in children(tree) if not isinstance(part, Lambda)), default=1)
    if not isinstance(tree, Call):
        return inside
    last = tree.arguments[-1] if tree.arguments else None
    if isinstance(last, Lambda):
        return inside * _factor(last.body)
    if tree.name == "sequence":
        return inside * MAX_SEQUENCE
    if tree.name in _BY_LITERAL:
        count = tree.arguments[_BY_LITERAL[tree.name]]
        return inside * max(1, int(str(count.value)) if isinstance(count, Literal) else 1)
    return inside
