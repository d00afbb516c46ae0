"""The checked tree: what an expression means once every name and type is settled.

Nodes are plain values without positions in the text, so two texts with the same meaning give equal trees.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from jobs.base.types import DataType


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    `value` is None, bool, int, float, decimal.Decimal, str, bytes, aware datetime, date or Duration.
    """

    value: object
    type: DataType

    @property
    def nullable(self) -> bool:
        """True only for null itself."""
        return self.value is None


@dataclass(frozen=True, slots=True)
class Column:
    """A field of the input row."""

    name: str
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class MemberOf:
    """One member of a struct."""

    argument: "Tree"
    name: str
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function of the tables, with arguments already of the types it takes.

    Attributes:
        name: key in `FUNCTIONS` or `OPERATORS`.
        fails: True when null can come from an error, with no argument null.
    """

    name: str
    arguments: tuple["Tree", ...]
    type: DataType
    nullable: bool
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Cast:
    """A change of type; `quiet` (``try_cast``) means that a failure is not counted as an error."""

    argument: "Tree"
    type: DataType
    nullable: bool
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose condition is true, else `otherwise` (null when None)."""

    branches: tuple[tuple["Tree", "Tree"], ...]
    otherwise: "Tree | None"
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a lambda; `number` counts those of the lambdas around it, so names do not matter."""

    number: int
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function that a call applies to each element; type and nullability are those of its body."""

    variables: tuple[Variable, ...]
    body: "Tree"

    @property
    def type(self) -> DataType:
        """Of one value."""
        return self.body.type

    @property
    def nullable(self) -> bool:
        """Of one value."""
        return self.body.nullable


Tree = Literal | Column | MemberOf | Call | Cast | Case | Variable | Lambda


def substituted(tree: Tree, number: int, by: Tree) -> Tree:
    """The tree with another value in place of the variable of that number."""
    inside = partial(substituted, number=number, by=by)
    match tree:
        case Variable():
            return by if tree.number == number else tree
        case MemberOf() | Cast():
            return replace(tree, argument=inside(tree.argument))
        case Call():
            return replace(tree, arguments=tuple(map(inside, tree.arguments)))
        case Lambda():
            return replace(tree, body=inside(tree.body))
        case Case():
            branches = tuple((inside(when), inside(value)) for when, value in tree.branches)
            return replace(tree, branches=branches, otherwise=tree.otherwise and inside(tree.otherwise))
        case _:
            return tree


def children(tree: Tree) -> Iterator[Tree]:
    """The direct parts of a node, in order."""
    match tree:
        case Literal() | Column() | Variable():
            return
        case Lambda():
            yield tree.body
        case MemberOf() | Cast():
            yield tree.argument
        case Call():
            yield from tree.arguments
        case Case():
            for condition, value in tree.branches:
                yield condition
                yield value
            if tree.otherwise is not None:
                yield tree.otherwise


def descendants(tree: Tree) -> Iterator[Tree]:
    """The node itself and everything below it, in no order."""
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))


def fields_of(tree: Tree) -> frozenset[str]:
    """Names of the input fields that a tree reads."""
    return frozenset(node.name for node in descendants(tree) if isinstance(node, Column))
