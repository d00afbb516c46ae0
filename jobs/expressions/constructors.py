"""Calls that make arrays, maps and structs out of values:
their result type depends on literal names and on every argument.
"""

from collections.abc import Callable
from typing import Final

from jobs.base.names import is_name
from jobs.base.types import (
    DURATION,
    NULL,
    STRING,
    TOO_LARGE,
    Array,
    DataType,
    Map,
    Member,
    Struct,
    type_size,
    type_text,
)
from jobs.expressions.coercion import common_type, widen
from jobs.expressions.errors import ExpressionError
from jobs.expressions.nodes import Call, Column, Literal, MemberOf, Tree

Span = tuple[int, int] | None
MAX_PARTS: Final = 100


def construct(name: str, arguments: tuple[Tree, ...], span: Span) -> Tree:
    """The tree of ``array(…)``, ``map(…)``, ``named_struct(…)``, ``struct(…)`` or ``arrays_zip(…)``.

    Raises:
        ExpressionError: nothing inside, too much, a type that is too large, names that are not literals or
            stand twice, or values without a common type.
    """
    if not 1 <= len(arguments) <= 2 * MAX_PARTS:
        raise ExpressionError(
            "TYPE_MISMATCH", f"{name} needs 1 to {MAX_PARTS} values.", CONSTRUCTORS[name], span
        )
    made = _MAKERS[name](arguments, span)
    if type_size(made.type) is None:
        raise ExpressionError("TYPE_MISMATCH", f"The type that {name} makes is too large.", TOO_LARGE, span)
    return made


def part_complaint(data_type: DataType) -> str | None:
    """Why values of a type cannot be parts of an array, map or struct, or None."""
    if data_type == DURATION:
        return "Durations can't be stored; convert them with to_micros(…)."
    return "null has no type here; cast it, e.g. cast(null as string)." if data_type == NULL else None


def _array(arguments: tuple[Tree, ...], span: Span) -> Tree:
    values, element = _alike("array", arguments, span)
    return Call("array", values, Array(element, any(value.nullable for value in values)), False)


def _map(arguments: tuple[Tree, ...], span: Span) -> Tree:
    keys = _names("map", arguments, span)
    values, value_type = _alike("map", arguments[1::2], span)
    pairs = tuple(part for key, value in zip(keys, values, strict=True) for part in (key, value))
    return Call("map", pairs, Map(value_type, any(value.nullable for value in values)), False)


def _struct(arguments: tuple[Tree, ...], span: Span) -> Tree:
    names = _names("named_struct", arguments, span)
    for name, value in zip(names, arguments[1::2], strict=True):
        if not is_name(str(name.value)):
            raise ExpressionError(
                "TYPE_MISMATCH",
                f"{name.value!r} isn't a valid name.",
                "Names use letters, digits and _.",
                span,
            )
        _check_part(value.type, span)
    members = tuple(
        Member(str(name.value), value.type, value.nullable)
        for name, value in zip(names, arguments[1::2], strict=True)
    )
    return Call("named_struct", arguments, Struct(members), False)


def _named(arguments: tuple[Tree, ...], span: Span) -> Tree:
    """A struct whose members have the names of the fields, or col1, col2 …"""
    pairs = tuple(
        part
        for name, value in zip(_field_names(arguments, span), arguments, strict=True)
        for part in (Literal(name, STRING), value)
    )
    return _struct(pairs, span)


def _zipped(arguments: tuple[Tree, ...], span: Span) -> Tree:
    names = _field_names(arguments, span)
    if not all(isinstance(argument.type, Array) for argument in arguments):
        raise ExpressionError("TYPE_MISMATCH", "arrays_zip needs arrays.", CONSTRUCTORS["arrays_zip"], span)
    elements = [argument.type.element for argument in arguments if isinstance(argument.type, Array)]
    members = tuple(
        Member(name, element, nullable=True) for name, element in zip(names, elements, strict=True)
    )
    return Call(
        "arrays_zip",
        arguments,
        Array(Struct(members), nullable=False),
        any(argument.nullable for argument in arguments),
    )


def _field_names(arguments: tuple[Tree, ...], span: Span) -> list[str]:
    names = [
        part.name if isinstance(part, Column | MemberOf) else f"col{number}"
        for number, part in enumerate(arguments, 1)
    ]
    if len(set(names)) != len(names):
        raise ExpressionError(
            "TYPE_MISMATCH", "Two values have the same name.", "Use named_struct to name each value.", span
        )
    return names


def _names(name: str, arguments: tuple[Tree, ...], span: Span) -> list[Literal]:
    names = [
        argument
        for argument in arguments[::2]
        if isinstance(argument, Literal) and isinstance(argument.value, str)
    ]
    if len(arguments) % 2 or len(names) * 2 != len(arguments):
        raise ExpressionError(
            "TYPE_MISMATCH", f"{name} needs pairs of a string literal and a value.", CONSTRUCTORS[name], span
        )
    if len({literal.value for literal in names}) != len(names):
        raise ExpressionError(
            "TYPE_MISMATCH", f"{name} has a duplicate name.", "Use a different name for each value.", span
        )
    return names


def _alike(name: str, values: tuple[Tree, ...], span: Span) -> tuple[tuple[Tree, ...], DataType]:
    wanted = common_type(values)
    if wanted is None:
        kinds = " and ".join(dict.fromkeys(type_text(value.type) for value in values))
        raise ExpressionError(
            "TYPE_MISMATCH", f"{name} needs values of one type, not {kinds}.", "Cast them to one type.", span
        )
    _check_part(wanted, span)
    widened = tuple(part for value in values if (part := widen(value, wanted)) is not None)
    return widened, wanted


def _check_part(data_type: DataType, span: Span) -> None:
    complaint = part_complaint(data_type)
    if complaint is not None:
        raise ExpressionError("TYPE_MISMATCH", complaint, span=span)


CONSTRUCTORS: Final = {
    "array": "array(a, b, …): these values, widened to one type",
    "map": "map('key', a, 'other', b, …): values by literal key",
    "named_struct": "named_struct('name', a, 'other', b, …): values by literal name",
    "struct": "struct(a, b, …): values by the names of the fields, or col1, col2 … by position",
    "arrays_zip": (
        "arrays_zip(a, b, …): array of structs of the elements at the same positions; shorter arrays are "
        "filled with nulls"
    ),
}
_MAKERS: Final[dict[str, Callable[[tuple[Tree, ...], Span], Tree]]] = {
    "array": _array,
    "map": _map,
    "named_struct": _struct,
    "struct": _named,
    "arrays_zip": _zipped,
}
