"""Defaults of fields: JSON in the schema, checked when it is read."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from jobs.formats.avro_tree import ABSENT, MAX_NESTING, AvroField, AvroType


def default_fits(value: Any, node: AvroType) -> bool:
    """True when a JSON value is a default of this type; of a union, of any of its branches."""
    return _Fitting().fits(value, node, 0)


class _Fitting:
    """One value against one type. Each part is held against each type once: where unions of records stand in
    unions of records, every branch would be tried again in every branch around it.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}

    def fits(self, value: Any, node: AvroType, depth: int) -> bool:
        """Whether a part of the value, which is kept alive by the whole, fits."""
        if depth > MAX_NESTING:
            return False
        if node.kind in _LEAVES:
            return _LEAVES[node.kind](value, node)
        pair = (id(value), id(node))
        if pair not in self._known:
            self._known[pair] = self._fits_inside(value, node, depth + 1)
        return self._known[pair]

    def _fits_inside(self, value: Any, node: AvroType, depth: int) -> bool:
        match node.kind:
            case "union":
                return any(self.fits(value, branch, depth) for branch in node.parts)
            case "array":
                return isinstance(value, list) and self._all_fit(value, node.parts[0], depth)
            case "map":
                return isinstance(value, dict) and self._all_fit(value.values(), node.parts[0], depth)
            case _:
                return isinstance(value, dict) and all(
                    self._has_member(value, field, depth) for field in node.fields
                )

    def _all_fit(self, values: Iterable[Any], node: AvroType, depth: int) -> bool:
        return all(self.fits(value, node, depth) for value in values)

    def _has_member(self, value: dict[str, Any], field: AvroField, depth: int) -> bool:
        if field.name in value:
            return self.fits(value[field.name], field.type, depth)
        return field.default is not ABSENT


def _is_bytes(value: Any) -> bool:
    """JSON holds bytes as a string of the signs U+0000 to U+00FF."""
    return isinstance(value, str) and all(ord(sign) < 256 for sign in value)


def _is_integer(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits


def _is_real(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or value in ("NaN", "Infinity", "-Infinity")


_LEAVES: Final[dict[str, Callable[[Any, AvroType], bool]]] = {
    "null": lambda value, _: value is None,
    "boolean": lambda value, _: isinstance(value, bool),
    "string": lambda value, _: isinstance(value, str),
    "bytes": lambda value, _: _is_bytes(value),
    "fixed": lambda value, node: _is_bytes(value) and len(value) == node.size,
    "enum": lambda value, node: isinstance(value, str) and value in node.symbol_set,
    "int": lambda value, _: _is_integer(value, 31),
    "long": lambda value, _: _is_integer(value, 63),
    "float": lambda value, _: _is_real(value),
    "double": lambda value, _: _is_real(value),
}
