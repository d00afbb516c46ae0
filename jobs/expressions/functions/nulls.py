"""Functions of null."""

from typing import Final

from jobs.base.types import BOOLEAN, is_ordered
from jobs.expressions.functions.function import Function, Nulls, Signature, TypeVariable, first_type
from jobs.expressions.nodes import Tree


def _f(
    name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls, aliases: tuple[str, ...] = ()
) -> Function:
    return Function(
        name=name, theme="null", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


def _incomparable(arguments: tuple[Tree, ...]) -> str | None:
    return None if is_ordered(arguments[0].type) else "values of this type can't be compared."


NULLS: Final = (
    _f(
        "coalesce",
        "The first value that is not null; later ones are evaluated only if needed.",
        "coalesce({all})",
        Signature(
            (TypeVariable.COMMON,),
            first_type,
            (("coalesce(null, 2, 3)", 2), ("coalesce(cast(null as string), 'x')", "x")),
            repeats=True,
        ),
        nulls=Nulls.ALL,
        aliases=("ifnull", "nvl"),
    ),
    _f(
        "nullif",
        "Null if both values are equal, else the first.",
        "nullif({0}, {1})",
        Signature(
            (TypeVariable.COMMON, TypeVariable.COMMON),
            first_type,
            (("nullif(1, 1)", None), ("nullif(1, 2)", 1)),
            check_arguments=_incomparable,
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "is_null",
        "True for null; the same as IS NULL.",
        "({0} IS NULL)",
        Signature(
            (TypeVariable.ANY,), BOOLEAN, (("is_null(1)", False), ("is_null(cast(null as int))", True))
        ),
        nulls=Nulls.NEVER,
        aliases=("isnull",),
    ),
    _f(
        "is_not_null",
        "False for null; the same as IS NOT NULL.",
        "({0} IS NOT NULL)",
        Signature((TypeVariable.ANY,), BOOLEAN, (("is_not_null(1)", True),)),
        nulls=Nulls.NEVER,
        aliases=("isnotnull",),
    ),
)
