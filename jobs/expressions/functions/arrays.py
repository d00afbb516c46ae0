"""Functions of arrays. Positions count from 1, as in texts; in brackets, ``list[0]``, from 0."""

from typing import Final

from jobs.base.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    LONG,
    STRING,
    Array,
    Atomic,
    DataType,
    Decimal,
    is_numeric,
    is_ordered,
    same_type,
)
from jobs.expressions.functions.function import (
    Function,
    Nulls,
    Signature,
    TypeVariable,
    either_elements,
    element_of,
    first_type,
    may_hold_null,
)
from jobs.expressions.functions.literal_params import integer, text, truth
from jobs.expressions.nodes import Tree

MAX_SEQUENCE: Final = 1_000
_A: Final = TypeVariable.ARRAY
_LIST: Final = "array(3, 1, 2)"
_SUMS: Final[dict[DataType, DataType]] = {INT: LONG, LONG: LONG, DOUBLE: DOUBLE}


def _f(
    name: str,
    doc: str,
    sql: str,
    *signatures: Signature,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    return Function(
        name=name, theme="array", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


def _unordered(arguments: tuple[Tree, ...]) -> str | None:
    """What compares elements takes only those that have an order."""
    return None if is_ordered(element_of(arguments)) else "the elements of the array can't be sorted."


def _not_plain(arguments: tuple[Tree, ...]) -> str | None:
    """Spark compares arrays and structs pair by pair, which takes time quadratic in their number."""
    element = element_of(arguments)
    return (
        None
        if isinstance(element, Atomic | Decimal)
        else "the elements must be strings, numbers, timestamps, dates or booleans."
    )


def _no_texts(arguments: tuple[Tree, ...]) -> str | None:
    return None if element_of(arguments) == STRING else "the elements must be strings."


def _no_numbers(arguments: tuple[Tree, ...]) -> str | None:
    return None if is_numeric(element_of(arguments)) else "the elements must be numbers."


def _no_arrays(arguments: tuple[Tree, ...]) -> str | None:
    return None if isinstance(element_of(arguments), Array) else "the elements must be arrays."


def _zero_position(arguments: tuple[Tree, ...]) -> str | None:
    return (
        "the position must not be 0: the first is 1, the last -1."
        if getattr(arguments[1], "value", None) == 0
        else None
    )


def _sum_type(arguments: tuple[Tree, ...]) -> DataType:
    """As the measure sum: long for integers, ten digits more for decimals."""
    element = element_of(arguments)
    return (
        Decimal(min(38, element.precision + 10), element.scale)
        if isinstance(element, Decimal)
        else _SUMS.get(element, element)
    )


def _sum_sql(arguments: tuple[Tree, ...]) -> str:
    kind = _sum_type(arguments)
    zero = (
        f"CAST(0 AS DECIMAL({kind.precision},{kind.scale}))"
        if isinstance(kind, Decimal)
        else ("0D" if kind == DOUBLE else "0L")
    )
    to = (
        f"DECIMAL({kind.precision},{kind.scale})"
        if isinstance(kind, Decimal)
        else ("DOUBLE" if kind == DOUBLE else "BIGINT")
    )
    # compact: null elements are skipped; the start is a value of the gathered type, else Spark refuses the
    # pair
    return (
        f"aggregate(array_compact({{0}}), {zero}, (_a, _x) -> TRY_CAST(try_add(_a, CAST(_x AS {to})) AS "
        f"{to}))"
    )


def _compact(arguments: tuple[Tree, ...]) -> DataType:
    return Array(element_of(arguments), False)


def _with_element(arguments: tuple[Tree, ...]) -> DataType:
    element = element_of(arguments)
    element = same_type(element, arguments[1].type) or element
    return Array(element, may_hold_null(arguments[0]) or arguments[1].nullable)


def _with_inserted(arguments: tuple[Tree, ...]) -> DataType:
    element = element_of(arguments)
    return Array(same_type(element, arguments[2].type) or element, True)


def _repeated(arguments: tuple[Tree, ...]) -> DataType:
    return Array(arguments[0].type, arguments[0].nullable)


def _flat(arguments: tuple[Tree, ...]) -> DataType:
    inner = element_of(arguments)
    return inner if isinstance(inner, Array) else arguments[0].type


ARRAYS: Final = (
    _f(
        "size",
        "Number of elements of an array, or of entries of a map.",
        "size({0})",
        Signature((_A,), INT, ((f"size({_LIST})", 3),)),
        Signature((TypeVariable.MAP,), INT, (("size(map('a', 1))", 1),)),
        aliases=("cardinality", "array_size"),
    ),
    _f(
        "element_at",
        "Element at a position (1 is the first, -1 the last), or value of a key; null, and counted, if "
        "there is none.",
        "try_element_at({0}, {1})",
        Signature(
            (_A, INT),
            element_of,
            ((f"element_at({_LIST}, 1)", 3), (f"element_at({_LIST}, -1)", 2)),
            "try_element_at({0}, nullif({1}, 0))",
            failure="((NOT (abs(CAST({1} AS BIGINT)) BETWEEN 1 AND size({0}))) <=> TRUE)",
        ),
        Signature(
            (TypeVariable.MAP, STRING),
            element_of,
            (("element_at(map('a', 1), 'a')", 1),),
            failure="((NOT map_contains_key({0}, {1})) <=> TRUE)",
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "get",
        "Element at an index from 0; null if there is none, which isn't counted.",
        "get({0}, {1})",
        Signature((_A, INT), element_of, ((f"get({_LIST}, 0)", 3),)),
        nulls=Nulls.OWN,
    ),
    _f(
        "try_element_at",
        "Element at a position (1 is the first, -1 the last), or value of a key; null if there is none, "
        "which isn't counted.",
        "try_element_at({0}, {1})",
        Signature(
            (_A, INT),
            element_of,
            ((f"try_element_at({_LIST}, -1)", 2),),
            "try_element_at({0}, nullif({1}, 0))",
        ),
        Signature((TypeVariable.MAP, STRING), element_of, (("try_element_at(map('a', 1), 'a')", 1),)),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_contains",
        "True if an element equals the value; null if none does but one is null.",
        "array_contains({0}, {1})",
        Signature(
            (_A, TypeVariable.ELEMENT),
            BOOLEAN,
            ((f"array_contains({_LIST}, 2)", True),),
            check_arguments=_unordered,
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_position",
        "Position of the first element that equals the value, from 1; 0 if there is none.",
        "CAST(array_position({0}, {1}) AS INT)",
        Signature(
            (_A, TypeVariable.ELEMENT),
            INT,
            ((f"array_position({_LIST}, 1)", 2), (f"array_position({_LIST}, 9)", 0)),
            check_arguments=_unordered,
        ),
    ),
    _f(
        "array_min",
        "Smallest element; nulls are skipped; null if there is none.",
        "array_min({0})",
        Signature((_A,), element_of, ((f"array_min({_LIST})", 1),), check_arguments=_unordered),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_max",
        "Largest element; nulls are skipped; null if there is none.",
        "array_max({0})",
        Signature((_A,), element_of, ((f"array_max({_LIST})", 3),), check_arguments=_unordered),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_sum",
        "Sum of the elements; nulls are skipped, an empty array gives 0; null, and counted, on overflow.",
        "",
        Signature(
            (_A,),
            _sum_type,
            ((f"array_sum({_LIST})", 6), ("array_sum(array(1.5, 2.25))", "3.75")),
            _sum_sql,
            check_arguments=_no_numbers,
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "array_avg",
        "Mean of the elements as a double; nulls are skipped; null if there is none.",
        "(aggregate(array_compact({0}), 0D, (_a, _x) -> _a + CAST(_x AS DOUBLE)) / "
        "nullif(CAST(size(array_compact({0})) AS DOUBLE), 0D))",
        Signature((_A,), DOUBLE, ((f"array_avg({_LIST})", 2.0),), check_arguments=_no_numbers),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_sort",
        "Elements in ascending order, nulls last; in descending order, nulls last, if the second is false.",
        "array_sort({0})",
        Signature((_A,), first_type, ((f"array_sort({_LIST})", [1, 2, 3]),), check_arguments=_unordered),
        Signature(
            (_A, truth("ascending literal")),
            first_type,
            ((f"array_sort({_LIST}, false)", [3, 2, 1]), (f"array_sort({_LIST}, true)", [1, 2, 3])),
            lambda arguments: (
                "array_sort({0})" if getattr(arguments[1], "value", None) else "sort_array({0}, FALSE)"
            ),
            check_arguments=_unordered,
        ),
    ),
    _f(
        "array_distinct",
        "Distinct elements, in the order of their first occurrence.",
        "array_distinct({0})",
        Signature(
            (_A,), first_type, (("array_distinct(array(2, 1, 2))", [2, 1]),), check_arguments=_not_plain
        ),
    ),
    _f(
        "array_union",
        "Distinct elements of both arrays.",
        "array_union({0}, {1})",
        Signature(
            (_A, TypeVariable.SAME_ARRAY),
            either_elements,
            (("array_union(array(1, 2), array(2, 3))", [1, 2, 3]),),
            check_arguments=_not_plain,
        ),
    ),
    _f(
        "array_intersect",
        "Distinct elements that occur in both arrays.",
        "array_intersect({0}, {1})",
        Signature(
            (_A, TypeVariable.SAME_ARRAY),
            first_type,
            (("array_intersect(array(1, 2), array(2, 3))", [2]),),
            check_arguments=_not_plain,
        ),
    ),
    _f(
        "array_except",
        "Distinct elements of the first array that don't occur in the second.",
        "array_except({0}, {1})",
        Signature(
            (_A, TypeVariable.SAME_ARRAY),
            first_type,
            (("array_except(array(1, 2), array(2, 3))", [1]),),
            check_arguments=_not_plain,
        ),
    ),
    _f(
        "arrays_overlap",
        "True if both arrays have an element in common; null if none is known and one of them contains null.",
        "arrays_overlap({0}, {1})",
        Signature(
            (_A, TypeVariable.SAME_ARRAY),
            BOOLEAN,
            (("arrays_overlap(array(1, 2), array(2, 3))", True),),
            check_arguments=_not_plain,
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "array_concat",
        "Concatenates arrays.",
        "concat({all})",
        Signature(
            (_A, TypeVariable.SAME_ARRAY),
            either_elements,
            (("array_concat(array(1), array(2, 3))", [1, 2, 3]),),
            repeats=True,
        ),
    ),
    _f(
        "array_append",
        "Appends a value to the array.",
        "array_append({0}, {1})",
        Signature((_A, TypeVariable.ELEMENT), _with_element, (("array_append(array(1), 2)", [1, 2]),)),
        nulls=Nulls.FIRST,
    ),
    _f(
        "array_prepend",
        "Prepends a value to the array.",
        "array_prepend({0}, {1})",
        Signature((_A, TypeVariable.ELEMENT), _with_element, (("array_prepend(array(1), 2)", [2, 1]),)),
        nulls=Nulls.FIRST,
    ),
    _f(
        "array_insert",
        "Inserts a value at a position (1 is the first, -1 the last); gaps are filled with nulls.",
        "array_insert({0}, {1}, {2})",
        Signature(
            (_A, integer(-1_000, 1_000, "position literal"), TypeVariable.ELEMENT),
            _with_inserted,
            (("array_insert(array(1, 3), 2, 2)", [1, 2, 3]), ("array_insert(array(1, 2), -1, 3)", [1, 2, 3])),
            check_arguments=_zero_position,
        ),
        nulls=Nulls.FIRST,
    ),
    _f(
        "array_remove",
        "The array without elements that equal the value.",
        "array_remove({0}, {1})",
        Signature(
            (_A, TypeVariable.ELEMENT),
            first_type,
            (("array_remove(array(1, 2, 1), 1)", [2]),),
            check_arguments=_unordered,
        ),
    ),
    _f(
        "array_compact",
        "The array without its null elements.",
        "array_compact({0})",
        Signature((_A,), _compact, (("array_compact(array(1, null, 2))", [1, 2]),)),
    ),
    _f(
        "array_reverse",
        "Elements in reverse order.",
        "reverse({0})",
        Signature((_A,), first_type, ((f"array_reverse({_LIST})", [2, 1, 3]),)),
    ),
    _f(
        "array_repeat",
        "An array that repeats a value.",
        "array_repeat({0}, {1})",
        Signature(
            (TypeVariable.ANY, integer(0, 100, "count literal")),
            _repeated,
            (("array_repeat('a', 2)", ["a", "a"]),),
        ),
        nulls=Nulls.NEVER,
    ),
    _f(
        "array_join",
        "Joins strings with a separator; nulls are skipped, or replaced by the third string.",
        "array_join({all})",
        Signature(
            (_A, text("separator literal", 100)),
            STRING,
            (("array_join(array('a', 'b'), '-')", "a-b"),),
            check_arguments=_no_texts,
        ),
        Signature(
            (_A, text("separator literal", 100), text("text literal", 100)),
            STRING,
            (("array_join(array('a', null), '-', '?')", "a-?"),),
            check_arguments=_no_texts,
        ),
    ),
    _f(
        "slice",
        "Elements from a position (1 is the first, -1 the last), as many as the third argument.",
        "slice({0}, {1}, {2})",
        Signature(
            (_A, integer(-100_000, 100_000, "position literal"), integer(0, 100_000, "count literal")),
            first_type,
            ((f"slice({_LIST}, 2, 5)", [1, 2]), (f"slice({_LIST}, -1, 1)", [2])),
            check_arguments=_zero_position,
        ),
    ),
    _f(
        "flatten",
        "Flattens an array of arrays; null if one of them is null.",
        "flatten({0})",
        Signature(
            (_A,), _flat, (("flatten(array(array(1), array(2, 3)))", [1, 2, 3]),), check_arguments=_no_arrays
        ),
        nulls=Nulls.OWN,
    ),
)
