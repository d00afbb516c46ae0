"""What the function table says about one function."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from jobs.base.types import Array, DataType, Map, same_type, type_text
from jobs.expressions.nodes import Tree


class Nulls(Enum):
    """When a result is null."""

    STRICT = "null when an argument is null"
    ERROR = "null when an argument is null, or when the value cannot be computed (counted as an error)"
    ALL = "null only when every argument is null"
    NEVER = "never null"
    FIRST = "null when the first argument is null"
    VALUES = "null when an array or map is null"
    OPEN = "null when the array is null, or when null conditions leave it open"
    OWN = "may be null without an error; see the description"


class TypeVariable(Enum):
    """Parameters that take more than one type."""

    ANY = "any"  # any type, as it is
    COMMON = "common"  # all parameters so marked widen to one type
    ORDERED = "ordered"  # as COMMON, and the type has an order
    DECIMAL = "decimal"  # any decimal, as it is
    EXACT = "decimal or integer"  # any decimal, or an integer as the decimal that it counts as beside one
    ARRAY = "array"  # any array, as it is
    SAME_ARRAY = "same array"  # an array whose elements have the type of the first argument's elements
    MAP = "map"  # any map, as it is
    SAME_MAP = "same map"  # a map whose values have the type of the first argument's values
    ELEMENT = "element"  # a value that widens to the type of the first argument's elements or values


@dataclass(frozen=True, slots=True)
class LiteralParam:
    """A parameter that must be a literal; `check` says what is wrong with a value, or None."""

    type: DataType
    check: Callable[[Any], str | None]
    what: str


@dataclass(frozen=True, slots=True)
class LambdaParam:
    """A lambda: `variables` are the types of its variables and whether they may be null,
    from the arguments before it.
    """

    variables: Callable[[tuple[Tree, ...]], tuple[tuple[DataType, bool], ...]]
    shown: str
    result: DataType | None = None  # of its body; None: any


Parameter = DataType | TypeVariable | LiteralParam | LambdaParam
Result = DataType | Callable[[tuple[Tree, ...]], DataType]


def no_argument_error(arguments: tuple[Tree, ...]) -> str | None:  # noqa: ARG001
    """Any arguments that fit the parameters will do."""
    return None


@dataclass(frozen=True, slots=True)
class Signature:
    """One form of a function.

    Attributes:
        parameters: in order.
        result: a type, or a rule over the checked arguments.
        examples: texts over literals with their values.
        sql: Spark SQL of this form where it differs from the function's.
        nulls: null rule of this form where it differs from the function's.
        repeats: the last parameter may come again any number of times.
        check_arguments: what is wrong with these arguments together, or None.
        failure: Spark SQL, never null, that is true when an error made a null, where a null result alone does
            not tell. Of a form with a lambda: when one did inside; ``{vars}`` are its variables and
            ``{body}`` what fails.
    """

    parameters: tuple[Parameter, ...]
    result: Result
    examples: tuple[tuple[str, object], ...]
    sql: str | Callable[[tuple[Tree, ...]], str | None] | None = None
    nulls: Nulls | Callable[[tuple[Tree, ...]], Nulls] | None = None
    repeats: bool = False
    check_arguments: Callable[[tuple[Tree, ...]], str | None] = no_argument_error
    failure: str | Callable[[tuple[Tree, ...]], str] = ""

    def spread(self, count: int) -> tuple[Parameter, ...] | None:
        """The parameters for that many arguments; None when there cannot be so many."""
        given = self.parameters
        if self.repeats and count >= len(given):
            return given + (given[-1],) * (count - len(given))
        return given if count == len(given) else None

    def template(self, arguments: tuple[Tree, ...]) -> str | None:
        """Spark SQL of this form for these arguments, where it differs from the function's."""
        return self.sql(arguments) if callable(self.sql) else self.sql

    def null_rule(self, arguments: tuple[Tree, ...]) -> Nulls | None:
        """When the result for these arguments is null, where that differs from the function's rule."""
        return self.nulls(arguments) if callable(self.nulls) else self.nulls

    def failing(self, arguments: tuple[Tree, ...]) -> str:
        """Spark SQL of the failure for these arguments; empty where a null result alone tells it."""
        return self.failure(arguments) if callable(self.failure) else self.failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of the language.

    Attributes:
        name: lower case; other spellings are in `aliases`.
        sql: Spark SQL with ``{0}``, ``{1}`` … for the arguments and ``{all}`` for the list of them.
    """

    name: str
    theme: str
    doc: str
    nulls: Nulls
    sql: str
    signatures: tuple[Signature, ...]
    aliases: tuple[str, ...] = ()


def parameter_text(parameter: Parameter) -> str:
    """How a parameter is shown: a type's text, or what it takes."""
    if isinstance(parameter, LiteralParam):
        return parameter.what
    if isinstance(parameter, LambdaParam):
        return parameter.shown
    if isinstance(parameter, TypeVariable):
        return parameter.value
    return type_text(parameter)


def first_type(arguments: tuple[Tree, ...]) -> DataType:
    """Result rule: the type of the first argument."""
    return arguments[0].type


def element_of(arguments: tuple[Tree, ...]) -> DataType:
    """Result rule: the type of the first argument's elements or values."""
    holder = arguments[0].type
    if isinstance(holder, Array):
        return holder.element
    return holder.value if isinstance(holder, Map) else holder


def may_hold_null(tree: Tree) -> bool:
    """True when an element or value of this array or map may be null."""
    return isinstance(tree.type, Array | Map) and tree.type.nullable


def either_elements(arguments: tuple[Tree, ...]) -> DataType:
    """Result rule: an array of the elements of several; they may be null where those of one may."""
    return Array(common_element(arguments), any(may_hold_null(argument) for argument in arguments))


def common_element(arguments: tuple[Tree, ...]) -> DataType:
    """The one type of the elements or values of several arrays or maps."""
    first, *others = (element_of((argument,)) for argument in arguments)
    return same_type(first, *others) or first
