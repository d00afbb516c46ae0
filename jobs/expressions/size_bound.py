"""How much larger than what it reads an expression's value can become.

``repeat(repeat(text, 100), 100)`` makes a gigabyte of a record of 100 kB, and an engine serves several jobs:
a bound on each call alone would not hold its memory. So each text, array, map or struct that an expression
reads may be in its value a hundred times, and what is made of literals and sequences has at most a megabyte.

Not bounded here: ``replace`` with a replacement that the rows give.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from jobs.base.types import BYTES, STRING, Array, DataType, Map, Struct
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.nodes import Call, Case, Cast, Column, Lambda, Literal, MemberOf, Tree, Variable

MAX_SIZE_FACTOR: Final = 100
MAX_MADE_BYTES: Final = 1_000_000
_SCALAR_BYTES: Final = 8
_BY_LITERAL: Final = ("repeat", "array_repeat")  # multiply their first argument by the second, a literal


@dataclass(frozen=True, slots=True)
class _Size:
    """Size of a value: how often each field or variable is in it, and bytes of literals and sequences."""

    read: Counter[str | int] = field(default_factory=Counter)
    made: int = 0

    def times(self, count: int) -> "_Size":
        return _Size(Counter({name: often * count for name, often in self.read.items()}), self.made * count)

    def plus(self, other: "_Size") -> "_Size":
        return _Size(self.read + other.read, self.made + other.made)

    def most(self, other: "_Size") -> "_Size":
        return _Size(self.read | other.read, max(self.made, other.made))


def check_size_bound(tree: Tree) -> None:
    """Nothing, when no part of the tree makes more than the bounds.

    Raises:
        ExpressionError: one does.
    """
    _size(tree)


def _bounded(size: _Size) -> _Size:
    factor = max(size.read.values(), default=0)
    if factor > MAX_SIZE_FACTOR:
        message = (
            f"The result can be {factor:,} times as large as the input; the limit is {MAX_SIZE_FACTOR:,} "
            "times."
        )
    elif size.made > MAX_MADE_BYTES:
        message = f"The result can have {size.made:,} bytes; the limit is {MAX_MADE_BYTES:,} bytes."
    else:
        return size
    raise ExpressionError("EXPRESSION_INVALID", message, "Repeat less, or avoid sequences inside lambdas.")


def _size(tree: Tree) -> _Size:
    """Size of a value; its parts are bounded too, since a large one may make a small value."""
    match tree:
        case MemberOf() | Cast():
            return _as(tree.type, _size(tree.argument))
        case Case():
            return _as(tree.type, _largest_branch(tree))
        case Call():
            return _as(tree.type, _bounded(_called(tree)))
        case _:
            return _as(tree.type, _leaf(tree))


def _leaf(tree: Tree) -> _Size:
    match tree:
        case Literal(value=str() | bytes() as value):
            return _Size(made=len(value))
        case Column(name=read) | Variable(number=read):
            return _Size(Counter({read: 1}))
        case _:
            return _Size(made=_SCALAR_BYTES)


def _largest_branch(tree: Case) -> _Size:
    for condition, _ in tree.branches:
        _size(condition)
    values = [value for _, value in tree.branches] + ([] if tree.otherwise is None else [tree.otherwise])
    return reduce(_Size.most, map(_size, values), _Size())


def _called(call: Call) -> _Size:
    plain = [_size(argument) for argument in call.arguments if not isinstance(argument, Lambda)]
    if call.name == "sequence":
        return _Size(made=_sequence_length(call) * _SCALAR_BYTES)
    if call.name in _BY_LITERAL:
        count = call.arguments[1]
        return plain[0].times(int(str(count.value)) if isinstance(count, Literal) else 1)
    size = _sum(plain)
    for argument in call.arguments:
        if isinstance(argument, Lambda):
            size = _applied(size, argument)
    return size


def _applied(elements: _Size, function: Lambda) -> _Size:
    """A lambda's values, one for each element: its variables are parts of them, and every element has at
    least a byte.
    """
    body = _size(function.body)
    own = {variable.number for variable in function.variables}
    share = max([often for name, often in body.read.items() if name in own], default=0)
    others = Counter({name: often for name, often in body.read.items() if name not in own})
    return elements.times(max(1, share + body.made)).plus(_Size(others))


def _sequence_length(call: Call) -> int:
    """Elements at most: from the literals, where both ends are."""
    ends = [argument.value for argument in call.arguments[:2] if isinstance(argument, Literal)]
    first, last = ends if len(ends) == 2 else (None, None)
    if isinstance(first, int) and isinstance(last, int):
        return min(MAX_SEQUENCE, abs(last - first) + 1)
    return MAX_SEQUENCE


def _sum(sizes: Iterable[_Size]) -> _Size:
    return reduce(_Size.plus, sizes, _Size())


def _as(data_type: DataType, size: _Size) -> _Size:
    """The size of a value of this type that is computed of values of that size."""
    return size if _grows(data_type) else _Size(made=_SCALAR_BYTES)


def _grows(data_type: DataType) -> bool:
    return data_type in (STRING, BYTES) or isinstance(data_type, Array | Map | Struct)
