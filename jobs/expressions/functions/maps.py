"""Functions of maps. Keys are texts; their order is that in which the record holds them."""

from typing import Final

from jobs.base.types import BOOLEAN, STRING, Array, DataType, Map, Member, Struct
from jobs.expressions.functions.function import (
    Function,
    Nulls,
    Signature,
    TypeVariable,
    common_element,
    element_of,
    may_hold_null,
)
from jobs.expressions.functions.separators import SEPARATOR, quoted_pattern
from jobs.expressions.nodes import Tree
from jobs.expressions.spark_types import quoted

_M: Final = "map('a', 1, 'b', 2)"


def _values(arguments: tuple[Tree, ...]) -> DataType:
    return Array(element_of(arguments), may_hold_null(arguments[0]))


def _entries(arguments: tuple[Tree, ...]) -> DataType:
    pair = (
        Member("key", STRING, nullable=False),
        Member("value", element_of(arguments), may_hold_null(arguments[0])),
    )
    return Array(Struct(pair), nullable=False)


def _either_values(arguments: tuple[Tree, ...]) -> DataType:
    return Map(common_element(arguments), any(may_hold_null(argument) for argument in arguments))


def _pair(arguments: tuple[Tree, ...]) -> tuple[Member, ...]:
    element = element_of(arguments)
    return element.members if isinstance(element, Struct) else ()


def _no_entries(arguments: tuple[Tree, ...]) -> str | None:
    pair = _pair(arguments)
    return (
        None
        if len(pair) == 2 and pair[0].type == STRING
        else "the elements must be structs with two members, the first a string."
    )


def _map_of_entries(arguments: tuple[Tree, ...]) -> DataType:
    value = _pair(arguments)[1]
    return Map(value.type, value.nullable)


def _from_entries_sql(arguments: tuple[Tree, ...]) -> str:
    key = quoted(_pair(arguments)[0].name).replace("{", "{{").replace("}", "}}")
    return (
        f"CASE WHEN NOT exists({{0}}, _e -> _e IS NULL OR _e.{key} IS NULL) THEN map_from_entries({{0}}) END"
    )


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT) -> Function:
    return Function(name=name, theme="map", doc=doc, nulls=nulls, sql=sql, signatures=signatures)


MAPS: Final = (
    _f(
        "map_keys",
        "Keys of a map.",
        "map_keys({0})",
        Signature((TypeVariable.MAP,), Array(STRING, False), ((f"map_keys({_M})", ["a", "b"]),)),
    ),
    _f(
        "map_values",
        "Values of a map.",
        "map_values({0})",
        Signature((TypeVariable.MAP,), _values, ((f"map_values({_M})", [1, 2]),)),
    ),
    _f(
        "map_entries",
        "Entries of a map as structs of key and value.",
        "map_entries({0})",
        Signature((TypeVariable.MAP,), _entries, (("map_entries(map('a', 1))", [{"key": "a", "value": 1}]),)),
    ),
    _f(
        "map_contains_key",
        "True if the map has the key.",
        "map_contains_key({0}, {1})",
        Signature(
            (TypeVariable.MAP, STRING),
            BOOLEAN,
            ((f"map_contains_key({_M}, 'b')", True), (f"map_contains_key({_M}, 'x')", False)),
        ),
    ),
    _f(
        "map_concat",
        "Merges maps; for duplicate keys, the last value is used.",
        "map_concat({all})",
        Signature(
            (TypeVariable.MAP, TypeVariable.SAME_MAP),
            _either_values,
            (("map_concat(map('a', 1, 'b', 2), map('b', 3))", {"a": 1, "b": 3}),),
            repeats=True,
        ),
    ),
    _f(
        "map_from_arrays",
        (
            "Map of keys and values at the same positions, the last of equal keys; null, and counted, if "
            "a key is null or the arrays differ in length."
        ),
        "CASE WHEN size({0}) = size({1}) AND NOT exists({0}, _k -> _k IS NULL) "
        "THEN map_from_arrays({0}, {1}) END",
        Signature(
            (TypeVariable.ARRAY, TypeVariable.ARRAY),
            lambda arguments: Map(element_of(arguments[1:]), may_hold_null(arguments[1])),
            (("map_from_arrays(array('a', 'b'), array(1, 2))", {"a": 1, "b": 2}),),
            check_arguments=lambda arguments: (
                None if element_of(arguments) == STRING else "the keys must be strings."
            ),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "map_from_entries",
        "Map of structs of two members, key and value, the last of equal keys; null, and counted, if a "
        "struct or key is null.",
        "",
        Signature(
            (TypeVariable.ARRAY,),
            _map_of_entries,
            (("map_from_entries(array(named_struct('key', 'a', 'value', 1)))", {"a": 1}),),
            _from_entries_sql,
            check_arguments=_no_entries,
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "str_to_map",
        (
            "Map from a string of pairs, split at the second string (a comma); keys and values are split "
            "at the third (a colon); the last of equal keys; the value is null for a key alone."
        ),
        f"str_to_map({{0}}, {quoted_pattern('{1}')}, {quoted_pattern('{2}')})",
        Signature(
            (STRING,),
            Map(STRING, True),
            (("str_to_map('a:1,b:2')", {"a": "1", "b": "2"}),),
            "str_to_map({0}, ',', ':')",
        ),
        Signature(
            (STRING, SEPARATOR, SEPARATOR),
            Map(STRING, True),
            (("str_to_map('a=1&b', '&', '=')", {"a": "1", "b": None}),),
        ),
    ),
)
