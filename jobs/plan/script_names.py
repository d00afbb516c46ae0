"""What the parts of a rendered script share: names of its variables, the columns that travel beside the rows, what cannot be said."""

from typing import Final

from jobs.operators.relation import Relation

SYSTEM: Final = ("_time", "_append_time", "_source", "_partition", "_offset")
PLAIN: Final = "{'plain': True}"
"""Metadata that takes the watermark's mark off a column."""


class Unwritable(Exception):  # noqa: N818  (a reason, not a fault)
    """What a script cannot say."""


def rows_of(reference: str) -> str:
    """The variable that holds the rows of ``node`` or ``node.port``."""
    return f"rows_of_{reference.replace('.', '__')}"


def identity(relation: Relation) -> list[str]:
    """System columns that tell rows apart, and put rows of one time in order."""
    places = [f"_index{i}" for i in range(relation.index_depth)]
    if relation.identity_kind == "key":
        return [*(f"_id{i}" for i in range(len(relation.identity))), *places]
    if relation.identity_kind == "pair":
        return ["_left_id", "_right_id", *places]
    if relation.identity_kind == "union":
        raise Unwritable("rows of one source that meet again are told apart by the service only.")
    return [*SYSTEM[2:], *places]


def kept(relation: Relation) -> list[str]:
    """System columns that travel beside the declared ones."""
    time = [name for name in ("_time",) if name in relation.system]
    append = ["_append_time"] if relation.identity_kind == "row" else []
    return [*time, *append, *identity(relation)]


def selected(name: str, upstream: str, columns: list[str]) -> list[str]:
    """Lines that give a variable these columns of another."""
    return [f"{name} = {upstream}.selectExpr(", *(f"    {column!r}," for column in columns), ")"]


def row_order(relation: Relation) -> tuple[str, ...]:
    """Columns that put rows into row order."""
    time = ["_time"] if "_time" in relation.system else []
    return (*time, *identity(relation))
