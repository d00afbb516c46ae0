"""Functions that apply a lambda to every element of an array or entry of a map."""

from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING, Array, DataType, Map
from jobs.expressions.functions.function import (
    Function,
    LambdaParam,
    Nulls,
    Signature,
    TypeVariable,
    element_of,
    first_type,
    may_hold_null,
)
from jobs.expressions.nodes import Tree

Variables = tuple[tuple[DataType, bool], ...]
_LIST: Final = "array(1, 2, 3)"
_INSIDE: Final = "((size(filter({0}, {vars} -> ({body}))) > 0) <=> TRUE)"
_INSIDE_MAP: Final = "((size(map_filter({0}, {vars} -> ({body}))) > 0) <=> TRUE)"


def _element(arguments: tuple[Tree, ...]) -> Variables:
    return ((element_of(arguments), may_hold_null(arguments[0])),)


def _element_and_index(arguments: tuple[Tree, ...]) -> Variables:
    return (*_element(arguments), (INT, False))


def _gathered_and_element(arguments: tuple[Tree, ...]) -> Variables:
    return ((arguments[1].type, True), *_element(arguments))


def _elements(arguments: tuple[Tree, ...]) -> Variables:
    """The shorter array goes on with nulls."""
    return ((element_of(arguments), True), (element_of(arguments[1:]), True))


def _entry(arguments: tuple[Tree, ...]) -> Variables:
    return ((STRING, False), *_element(arguments))


def _array_of_body(arguments: tuple[Tree, ...]) -> DataType:
    return Array(arguments[-1].type, arguments[-1].nullable)


def _map_of_body(arguments: tuple[Tree, ...]) -> DataType:
    return Map(arguments[-1].type, arguments[-1].nullable)


def _second_type(arguments: tuple[Tree, ...]) -> DataType:
    return arguments[1].type


def _f(name: str, doc: str, nulls: Nulls, *signatures: Signature, aliases: tuple[str, ...] = ()) -> Function:
    holders = "{0}, {1}, {2}" if len(signatures[0].parameters) == 3 else "{0}, {1}"
    sql = f"{'aggregate' if name == 'reduce' else name}({holders})"
    return Function(
        name=name, theme="lambda", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


HIGHER_ORDER: Final = (
    _f(
        "transform",
        "Applies the lambda to each element; its optional second variable is the index from 0.",
        Nulls.VALUES,
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element, "x -> value")),
            _array_of_body,
            ((f"transform({_LIST}, x -> x * 2)", [2, 4, 6]),),
            failure=_INSIDE,
        ),
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element_and_index, "(x, i) -> value")),
            _array_of_body,
            ((f"transform({_LIST}, (x, i) -> x * i)", [0, 2, 6]),),
            failure=_INSIDE,
        ),
    ),
    _f(
        "filter",
        "Elements for which the condition is true; its optional second variable is the index from 0.",
        Nulls.VALUES,
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element, "x -> condition", BOOLEAN)),
            first_type,
            ((f"filter({_LIST}, x -> x > 1)", [2, 3]),),
            failure=_INSIDE,
        ),
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element_and_index, "(x, i) -> condition", BOOLEAN)),
            first_type,
            ((f"filter({_LIST}, (x, i) -> i = 0)", [1]),),
            failure=_INSIDE,
        ),
    ),
    _f(
        "exists",
        "True if the condition is true for any element.",
        Nulls.OPEN,
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element, "x -> condition", BOOLEAN)),
            BOOLEAN,
            ((f"exists({_LIST}, x -> x > 2)", True),),
            failure=_INSIDE,
        ),
        aliases=("any_match",),
    ),
    _f(
        "forall",
        "True when the condition is true for every element; true of an empty array.",
        Nulls.OPEN,
        Signature(
            (TypeVariable.ARRAY, LambdaParam(_element, "x -> condition", BOOLEAN)),
            BOOLEAN,
            ((f"forall({_LIST}, x -> x > 2)", False),),
            failure=_INSIDE,
        ),
        aliases=("all_match",),
    ),
    _f(
        "reduce",
        "Combines the elements from first to last, starting with the second argument: a number, "
        "timestamp, date or boolean.",
        Nulls.OWN,
        Signature(
            (
                TypeVariable.ARRAY,
                TypeVariable.ANY,
                LambdaParam(_gathered_and_element, "(gathered, x) -> gathered"),
            ),
            _second_type,
            (
                (f"reduce({_LIST}, 0, (sum, x) -> sum + x)", 6),
                (f"reduce({_LIST}, 1e0, (product, x) -> product * x)", 6.0),
            ),
        ),
        aliases=("aggregate",),
    ),
    _f(
        "zip_with",
        "Applies the lambda to the elements of two arrays at the same index; the shorter array is filled "
        "with nulls.",
        Nulls.VALUES,
        Signature(
            (TypeVariable.ARRAY, TypeVariable.ARRAY, LambdaParam(_elements, "(x, y) -> value")),
            _array_of_body,
            (("zip_with(array(1, 2), array(10, 20), (x, y) -> x + y)", [11, 22]),),
            failure="(exists(zip_with({0}, {1}, {vars} -> ({body})), _f -> _f) <=> TRUE)",
        ),
    ),
    _f(
        "map_filter",
        "Entries for which the condition is true.",
        Nulls.VALUES,
        Signature(
            (TypeVariable.MAP, LambdaParam(_entry, "(k, v) -> condition", BOOLEAN)),
            first_type,
            (("map_filter(map('a', 1, 'b', 2), (k, v) -> v > 1)", {"b": 2}),),
            failure=_INSIDE_MAP,
        ),
    ),
    _f(
        "transform_values",
        "The map with each value replaced by the lambda's result.",
        Nulls.VALUES,
        Signature(
            (TypeVariable.MAP, LambdaParam(_entry, "(k, v) -> value")),
            _map_of_body,
            (("transform_values(map('a', 1), (k, v) -> v + 1)", {"a": 2}),),
            failure=_INSIDE_MAP,
        ),
    ),
    Function(
        name="transform_keys",
        theme="lambda",
        doc="The map with each key replaced by the lambda's string, the last of equal keys; null, and "
        "counted, if one is null.",
        nulls=Nulls.ERROR,
        sql="CASE WHEN NOT exists(map_values(transform_values({0}, {1})), _k -> _k IS NULL) "
        "THEN map_from_arrays(map_values(transform_values({0}, {1})), map_values({0})) END",
        signatures=(
            Signature(
                (TypeVariable.MAP, LambdaParam(_entry, "(k, v) -> text", STRING)),
                first_type,
                (("transform_keys(map('a', 1), (k, v) -> upper(k))", {"A": 1}),),
                failure=_INSIDE_MAP,
            ),
        ),
    ),
)
