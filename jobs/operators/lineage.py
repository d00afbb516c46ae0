"""From which source columns a column of a step is made; `jobs.plan.lineage` follows them through a plan."""

from collections.abc import Mapping
from typing import Final

from jobs.expressions import Expression

ColumnSources = Mapping[str, frozenset[str]]
"""Source columns, as ``source.field``, by column."""
NOTHING: Final = frozenset[str]()
TIME: Final = "_time"


def same_column(bound: object, name: str, inputs: list[ColumnSources]) -> frozenset[str]:  # noqa: ARG001
    """The step chooses rows of its first input, and leaves them as they are."""
    return inputs[0].get(name, NOTHING)


def column_of_sides(
    names: tuple[tuple[str, str], ...], name: str, left: ColumnSources, right: ColumnSources
) -> frozenset[str]:
    """A column of one of two sides; `names` are the right side's fields and what they are called behind the
    step.
    """
    field = {joined: field for field, joined in names}.get(name)
    return left.get(name, NOTHING) if field is None else right.get(field, NOTHING)


def through_expression(expression: Expression, known: ColumnSources) -> frozenset[str]:
    """The source columns of the fields that an expression reads."""
    return NOTHING.union(*(known.get(field, NOTHING) for field in expression.fields))
