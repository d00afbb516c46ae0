"""Column lineage of one step; `jobs.plan.lineage` follows it through a plan."""

from collections.abc import Mapping
from typing import Final

from jobs.expressions import Expression

ColumnSources = Mapping[str, frozenset[str]]
"""Source columns, as ``source.field``, by column."""
NOTHING: Final = frozenset[str]()
TIME: Final = "_time"


def same_column(bound: object, name: str, inputs: list[ColumnSources]) -> frozenset[str]:  # noqa: ARG001
    """The lineage of the first input's column, for a step that leaves its rows unchanged."""
    return inputs[0].get(name, NOTHING)


def column_of_sides(
    names: tuple[tuple[str, str], ...], name: str, left: ColumnSources, right: ColumnSources
) -> frozenset[str]:
    """The lineage of a column from one of a join's two sides. `names` pairs each field of the right side with
    its name in the step's output.
    """
    field = {joined: field for field, joined in names}.get(name)
    return left.get(name, NOTHING) if field is None else right.get(field, NOTHING)


def through_expression(expression: Expression, known: ColumnSources) -> frozenset[str]:
    """The source columns of the fields that an expression reads."""
    return NOTHING.union(*(known.get(field, NOTHING) for field in expression.fields))
