"""Functions of maps. Keys are texts; their order is that in which the record holds them."""

from typing import Final

from jobs.base.types import BOOLEAN, STRING, Array, DataType, Member, Struct
from jobs.expressions.functions.function import Function, Nulls, Open, Signature, element_of, may_hold_null
from jobs.expressions.nodes import Tree

_M: Final = "map('a', 1, 'b', 2)"


def _values(arguments: tuple[Tree, ...]) -> DataType:
    return Array(element_of(arguments), may_hold_null(arguments[0]))


def _entries(arguments: tuple[Tree, ...]) -> DataType:
    pair = (Member("key", STRING, nullable=False), Member("value", element_of(arguments), may_hold_null(arguments[0])))
    return Array(Struct(pair), nullable=False)


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT) -> Function:
    return Function(name=name, theme="map", doc=doc, nulls=nulls, sql=sql, signatures=signatures)


MAPS: Final = (
    _f("map_keys", "Keys of a map.", "map_keys({0})", Signature((Open.MAP,), Array(STRING, False), ((f"map_keys({_M})", ["a", "b"]),))),
    _f("map_values", "Values of a map.", "map_values({0})", Signature((Open.MAP,), _values, ((f"map_values({_M})", [1, 2]),))),
    _f(
        "map_entries",
        "Entries of a map as structs of key and value.",
        "map_entries({0})",
        Signature((Open.MAP,), _entries, (("map_entries(map('a', 1))", [{"key": "a", "value": 1}]),)),
    ),
    _f(
        "map_contains_key",
        "True when the map has the key.",
        "map_contains_key({0}, {1})",
        Signature((Open.MAP, STRING), BOOLEAN, ((f"map_contains_key({_M}, 'b')", True), (f"map_contains_key({_M}, 'x')", False))),
    ),
)
