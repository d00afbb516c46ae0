"""How many parts that can fail may stand inside each other.

The condition that counts a part's error repeats the part, and with it all parts inside it. Spark's code
generation looks for what is repeated, and takes twice the time and memory with each such level: a sum of 26
integers took 27 s, one of 40 the whole heap of an engine, with the jobs of others.
"""

from typing import Final

from jobs.expressions.casts import cast_rule
from jobs.expressions.errors import ExpressionError
from jobs.expressions.nodes import Call, Cast, Tree, children

MAX_FAILING_DEPTH: Final = 22


def check_failing_depth(tree: Tree) -> None:
    """Nothing, when few enough parts that can fail stand inside each other.

    Raises:
        ExpressionError: too many do.
    """
    depth = _depth(tree)
    if depth > MAX_FAILING_DEPTH:
        raise ExpressionError(
            "EXPRESSION_INVALID",
            f"{depth} operations that can fail are inside each other; the limit is {MAX_FAILING_DEPTH}.",
            "Use parentheses to group them, as in (a + b) + (c + d), or split it into several derive steps.",
        )


def _depth(tree: Tree) -> int:
    return max(map(_depth, children(tree)), default=0) + int(_fails(tree))


def _fails(tree: Tree) -> bool:
    match tree:
        case Call():
            return tree.fails
        case Cast():
            rule = cast_rule(tree.argument.type, tree.type)
            return not tree.quiet and rule is not None and rule.fails
        case _:
            return False
