"""What the function table says about one function."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from jobs.base.types import DataType, type_text
from jobs.expressions.nodes import Tree


class Nulls(Enum):
    """When a result is null."""

    STRICT = "null when an argument is null"
    ERROR = "null when an argument is null, or when the value cannot be computed (counted as an error)"
    ALL = "null only when every argument is null"
    NEVER = "never null"
    OWN = "may be null without an error; see the description"


class Open(Enum):
    """Parameters that take more than one type."""

    ANY = "any"  # any type, as it is
    COMMON = "common"  # all parameters so marked widen to one type
    ORDERED = "ordered"  # as COMMON, and the type has an order
    DECIMAL = "decimal"  # any decimal, as it is


@dataclass(frozen=True, slots=True)
class Constant:
    """A parameter that must be a literal; `check` says what is wrong with a value, or None."""

    type: DataType
    check: Callable[[Any], str | None]
    what: str


Parameter = DataType | Open | Constant
Result = DataType | Callable[[tuple[Tree, ...]], DataType]


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
    """

    parameters: tuple[Parameter, ...]
    result: Result
    examples: tuple[tuple[str, object], ...]
    sql: str | None = None
    nulls: Nulls | None = None
    repeats: bool = False


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
    if isinstance(parameter, Constant):
        return parameter.what
    if isinstance(parameter, Open):
        return parameter.value
    return type_text(parameter)


def first_type(arguments: tuple[Tree, ...]) -> DataType:
    """Result rule: the type of the first argument."""
    return arguments[0].type
