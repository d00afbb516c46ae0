"""Calls that make arrays, maps and structs out of values: their result type depends on literal names and on every argument."""

from collections.abc import Callable
from typing import Final

from jobs.base.names import is_name
from jobs.base.types import DURATION, NULL, Array, DataType, Map, Member, Struct, type_text
from jobs.expressions.coercion import common_type, widen
from jobs.expressions.nodes import Call, Literal, Tree
from jobs.expressions.refusals import Refused

Span = tuple[int, int] | None
MAX_PARTS: Final = 100


def construct(name: str, arguments: tuple[Tree, ...], span: Span) -> Tree:
    """The tree of ``array(…)``, ``map(…)`` or ``named_struct(…)``.

    Raises:
        Refused: nothing inside, too much, names that are not literals or stand twice, or values without a common type.
    """
    if not 1 <= len(arguments) <= 2 * MAX_PARTS:
        raise Refused("TYPE_MISMATCH", f"{name} takes 1 to {MAX_PARTS} values.", CONSTRUCTORS[name], span)
    return _MAKERS[name](arguments, span)


def part_complaint(data_type: DataType) -> str | None:
    """Why values of a type cannot be parts of an array, map or struct, or None."""
    if data_type == DURATION:
        return "A duration lives only inside expressions; convert it with to_micros."
    return "A bare null has no type; write cast(null as string) or another type." if data_type == NULL else None


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
            raise Refused("TYPE_MISMATCH", f"{name.value!r} is not a name.", "Names have letters, digits and _.", span)
        _check_part(value.type, span)
    members = tuple(Member(str(name.value), value.type, value.nullable) for name, value in zip(names, arguments[1::2], strict=True))
    return Call("named_struct", arguments, Struct(members), False)


def _names(name: str, arguments: tuple[Tree, ...], span: Span) -> list[Literal]:
    names = [argument for argument in arguments[::2] if isinstance(argument, Literal) and isinstance(argument.value, str)]
    if len(arguments) % 2 or len(names) * 2 != len(arguments):
        raise Refused("TYPE_MISMATCH", f"{name} takes pairs of a text literal and a value.", CONSTRUCTORS[name], span)
    if len({literal.value for literal in names}) != len(names):
        raise Refused("TYPE_MISMATCH", f"A name stands twice in {name}.", "Give each value a name of its own.", span)
    return names


def _alike(name: str, values: tuple[Tree, ...], span: Span) -> tuple[tuple[Tree, ...], DataType]:
    wanted = common_type(values)
    if wanted is None:
        kinds = " and ".join(dict.fromkeys(type_text(value.type) for value in values))
        raise Refused("TYPE_MISMATCH", f"{name} holds values of one type, not {kinds}.", "Cast some of them.", span)
    _check_part(wanted, span)
    widened = tuple(part for value in values if (part := widen(value, wanted)) is not None)
    return widened, wanted


def _check_part(data_type: DataType, span: Span) -> None:
    complaint = part_complaint(data_type)
    if complaint is not None:
        raise Refused("TYPE_MISMATCH", complaint, span=span)


CONSTRUCTORS: Final = {
    "array": "array(a, b, …): these values, widened to one type",
    "map": "map('key', a, 'other', b, …): values by literal key",
    "named_struct": "named_struct('name', a, 'other', b, …): values by literal name",
}
_MAKERS: Final[dict[str, Callable[[tuple[Tree, ...], Span], Tree]]] = {"array": _array, "map": _map, "named_struct": _struct}
